import type { KeyboardEvent } from "react";
import { useAppState } from "@/store/context";
import { groups, groupTitle } from "@/store/goalcards";
import { Dot } from "@/ui/badge";
import { cx } from "@/ui/cx";
import { describeFilter, type StatusChoice } from "./filters";
import type { FilteredGoals } from "./usegoalfilter";

interface StatusFilterProps {
  goals: FilteredGoals;
  search: string;
  className?: string | undefined;
}

/**
 * The number of goals in each status, of those that the search and the other filters leave, in one line; a click limits
 * the list to that status. A status without goals is shown only while it is selected. One Tab stop: the arrow keys
 * choose.
 */
export function StatusFilter({ goals, search, className }: StatusFilterProps) {
  const { filter, setFilter } = goals;
  const only = filter.status;
  const stored = useAppState((s) => s.goals.total);
  const counts = new Map(goals.counts.status);
  const isOtherwiseAll = describeFilter({ ...filter, status: "" }, search).length === 0;
  counts.set("", isOtherwiseAll ? stored : [...counts.values()].reduce((sum, n) => sum + n, 0));
  const offered: StatusChoice[] = ["", ...groups.filter((g) => counts.has(g) || g === only)];
  const onOnly = (status: StatusChoice) => setFilter({ ...filter, status });
  const move = (e: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.code];
    if (!step || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return;
    const next = offered[offered.indexOf(only) + step];
    if (next === undefined) return;
    e.preventDefault();
    onOnly(next);
    e.currentTarget.querySelector<HTMLElement>(`[data-status="${next}"]`)?.focus();
  };
  return (
    <div
      role="group"
      aria-label="Filter goals by status"
      data-testid="goal-filter"
      onKeyDown={move}
      className={cx("sideways flex min-w-0 gap-1.5 [scrollbar-width:none]", className)}
    >
      {offered.map((g) => (
        <button
          key={g}
          type="button"
          data-testid="goal-status"
          data-status={g}
          aria-pressed={only === g}
          tabIndex={only === g ? 0 : -1}
          onClick={() => onOnly(g === only ? "" : g)}
          className={cx(
            "flex h-7 shrink-0 items-center gap-1.5 rounded-full border px-2.5 text-xs whitespace-nowrap",
            "max-[640px]:h-9 max-[640px]:px-3.5",
            g === "needs_you" ? "text-warn" : only === g ? "text-text" : "text-text-muted hover:text-text",
            only === g
              ? cx("bg-surface-hover font-medium", g === "needs_you" ? "border-warn" : "border-border-strong")
              : cx("hover:bg-surface-hover", g === "needs_you" ? "border-warn/50" : "border-border"),
          )}
        >
          {g === "needs_you" ? <Dot tone="warn" /> : null}
          {g === "running" ? <Dot tone="accent" live /> : null}
          {g ? groupTitle[g] : "All"}
          <span className="tabular-nums opacity-75">{counts.get(g) ?? 0}</span>
        </button>
      ))}
    </div>
  );
}
