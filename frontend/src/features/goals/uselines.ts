import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useApp, useAppState } from "@/store/context";
import { useRoving } from "@/ui/rovingfocus";
import { listLines, savedListView, saveListView, withToggled, type ListLine, type ListView } from "./listorder";
import type { GoalSearch } from "./search";
import type { FilteredGoals } from "./usegoalfilter";

/** What the list of goals and their table get from the dashboard. */
export interface GoalLinesProps {
  /** Set to the functions that move the selection, for the dashboard's keys. */
  onReady: (keys: ListKeys) => void;
  search: GoalSearch;
  goals: FilteredGoals;
}

export interface ListKeys {
  move: (by: number) => void;
  focusSearch: () => void;
  /** Selects all goals that are shown for an action; again, none. */
  markAll: () => void;
  /** Shows or hides the fleet strip. */
  toggleStrip: () => void;
}

/**
 * Scrolls to the selected goal when another one is selected, and when the user sorts, groups or filters: the list does
 * not follow goals that move in it by themselves.
 */
function useSelectedInSight(
  virtual: Virtualizer<HTMLDivElement, Element>,
  lines: readonly ListLine[],
  selected: string,
  arrangement: string,
) {
  const inSight = useRef("");
  useEffect(() => {
    const wanted = `${selected} ${arrangement}`;
    if (!selected || inSight.current === wanted) return;
    const index = indexOf(lines, selected);
    if (index < 0) return;
    inSight.current = wanted;
    virtual.scrollToIndex(index);
  }, [arrangement, lines, selected, virtual]);
}

/** The goals among the rows, or among those between two goals, with these. */
export function goalsIn(lines: readonly ListLine[], from = "", to = ""): string[] {
  const [a, b] = [indexOf(lines, from), indexOf(lines, to)];
  const part = from ? lines.slice(Math.min(a, b), Math.max(a, b) + 1) : lines;
  return part.flatMap((l) => (l.kind === "card" ? [l.card.id] : []));
}

function indexOf(lines: readonly ListLine[], goal: string): number {
  return lines.findIndex((l) => l.kind === "card" && l.card.id === goal);
}

/** The rows of all goals as the user arranged them, with what draws, scrolls and selects them. */
export function useGoalLines({ onReady, goals }: GoalLinesProps, height: Record<ListLine["kind"], number>) {
  const app = useApp();
  const selected = useAppState((s) => s.detail.id);
  const [view, setView] = useState(() => savedListView(localStorage));
  const scroller = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const lines = useMemo(() => listLines(goals.shown, view), [goals.shown, view]);
  const arrange = useCallback((next: ListView) => {
    setView(next);
    saveListView(localStorage, next);
  }, []);

  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (i) => height[lines[i]?.kind ?? "card"],
    getItemKey: (i) => {
      const line = lines[i];
      return line?.kind === "card" ? line.card.id : (line?.id ?? i);
    },
    overscan: 8,
  });
  const isCard = (i: number) => lines[i]?.kind === "card";
  const stops = (i: number) => i < lines.length;
  const roving = useRoving({ scroller, count: lines.length, stops, show: (i) => virtual.scrollToIndex(i) });
  const drawn = virtual.getVirtualItems().map((item) => item.index);
  const chosen = indexOf(lines, selected);

  useSelectedInSight(
    virtual,
    lines,
    selected,
    JSON.stringify([view.grouping, view.order, view.reversed, goals.filter]),
  );

  useEffect(() => {
    onReady({
      focusSearch: () => field.current?.focus(),
      toggleStrip: () => arrange({ ...view, strip: !view.strip }),
      markAll: () => app.goals.toggleMarks(goalsIn(lines)),
      move: (by) => {
        for (let i = indexOf(lines, selected) + by; i >= 0 && i < lines.length; i += by) {
          const line = lines[i];
          if (line?.kind !== "card") continue;
          app.sync.select(line.card.id);
          virtual.scrollToIndex(i);
          return;
        }
      },
    });
  }, [app, arrange, lines, onReady, selected, view, virtual]);

  return {
    lines,
    selected,
    view,
    arrange,
    toggleGroup: (id: string) => arrange(withToggled(view, id)),
    virtual,
    roving,
    scroller,
    field,
    /** The row that Tab reaches. */
    stop: drawn.includes(chosen) ? chosen : (drawn.find(isCard) ?? drawn[0] ?? -1),
    showAll: () => {
      goals.clear();
      field.current?.focus();
    },
  };
}
