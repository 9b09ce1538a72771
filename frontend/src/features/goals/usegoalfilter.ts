import { useEffect, useMemo, useState } from "react";
import { useApp, useAppState } from "@/store/context";
import { summary } from "@/store/goals";
import {
  describeFilter,
  filterGoals,
  noFilter,
  startOfDay,
  storedFilter,
  storeFilter,
  type Filtered,
  type GoalFilter,
} from "./filters";
import type { GoalSearch } from "./search";

/** The goals that the search and the filter leave, and what changes them. */
export interface FilteredGoals extends Filtered {
  filter: GoalFilter;
  setFilter: (filter: GoalFilter) => void;
  /** Names what hides goals, the search included; empty if nothing does. */
  hiddenBy: readonly string[];
  /** Shows all goals. */
  clear: () => void;
}

export function useGoalFilter(search: GoalSearch): FilteredGoals {
  const [filter, setState] = useState(() => storedFilter(localStorage));
  const spenders = useSpenders(filter.today === "spent");
  const filtered = useMemo(
    () => filterGoals(search.cards, filter, { since: startOfDay(Date.now()), spenders }),
    [search.cards, filter, spenders],
  );
  const setFilter = (next: GoalFilter) => {
    setState(next);
    storeFilter(localStorage, next);
  };
  const clear = () => {
    search.setText("");
    setFilter(noFilter);
  };
  return { ...filtered, filter, setFilter, hiddenBy: describeFilter(filter, search.text), clear };
}

/** The goals that cost something today; null while that is not known or not wanted. */
function useSpenders(isWanted: boolean): ReadonlySet<string> | null {
  const app = useApp();
  const spent = useAppState((s) => summary(s.goals.byId).spent);
  const [spenders, setSpenders] = useState<ReadonlySet<string> | null>(null);
  useEffect(() => {
    if (!isWanted) return;
    let stale = false;
    const since = new Date(startOfDay(Date.now())).toISOString();
    void app.ask("SpendAPI.Report", { by: "goal", since }).then((report) => {
      const rows = (report?.rows ?? []).filter((r) => r.usd > 0);
      if (!stale && report) setSpenders(new Set(rows.map((r) => r.key)));
    });
    return () => {
      stale = true;
    };
  }, [app, isWanted, spent]);
  return spenders;
}
