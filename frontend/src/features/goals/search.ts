import { useEffect, useMemo, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { GoalCard } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";

const searchAfterMs = 200;
const searchLimit = 200;

/** The search of the dashboard. */
export interface GoalSearch {
  text: string;
  setText: (text: string) => void;
  /** The goals that match, in their current state; all without a search. */
  cards: readonly GoalCard[];
}

export function useGoalSearch(): GoalSearch {
  const [text, setText] = useState("");
  const byId = useAppState((s) => s.goals.byId);
  const found = useSearchResults(text.trim());
  const cards = useMemo(
    () => (found ? found.map((c) => byId[c.id]?.card ?? c) : Object.values(byId).map((k) => k.card)),
    [byId, found],
  );
  return { text, setText, cards };
}

/** The goals that match a text, or null without one. */
function useSearchResults(text: string): readonly GoalCard[] | null {
  const app = useApp();
  const [found, setFound] = useState<readonly GoalCard[] | null>(null);
  useEffect(() => {
    if (!text) {
      setFound(null);
      return;
    }
    let stale = false;
    const timer = setTimeout(() => {
      app.bridge
        .call("GoalAPI.List", { status: "", search: text, limit: searchLimit, offset: 0, resumable: false })
        .then((page) => !stale && setFound(page.goals ?? []))
        .catch((reason: unknown) => !stale && app.notices.problem(asProblem(reason)));
    }, searchAfterMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [app, text]);
  return found;
}
