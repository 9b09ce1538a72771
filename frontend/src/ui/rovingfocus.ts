import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type RefObject } from "react";

interface Lines {
  /** Contains the rendered rows, each with its `data-index`. A row gets the focus through its first button. */
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Reports whether a row can get the focus; group heads and notes cannot. */
  stops: (index: number) => boolean;
  /** Scrolls a row into view. */
  show: (index: number) => void;
}

/**
 * One Tab stop for a list of thousands of rows. Inside it, the arrows, Home and End move, also to rows that are not
 * rendered yet.
 */
export function useRoving(lines: Lines) {
  const wanted = useRef(-1);
  const [at, setAt] = useState(-1);
  const { scroller, count, stops, show } = lines;

  const arrive = () => {
    const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] button`);
    if (!button) return;
    wanted.current = -1;
    button.focus();
  };
  // A row outside the view is rendered a few renders later.
  useEffect(() => {
    if (wanted.current >= 0) arrive();
  });

  const find = (from: number, by: 1 | -1) => {
    for (let i = from; i >= 0 && i < count; i += by) if (stops(i)) return i;
    return -1;
  };
  const next = (code: string, from: number) => {
    if (code === "ArrowDown") return find(from + 1, 1);
    if (code === "ArrowUp") return find(from - 1, -1);
    if (code === "Home") return find(0, 1);
    if (code === "End") return find(count - 1, -1);
    return null;
  };
  const go = (index: number) => {
    wanted.current = index;
    show(index);
    arrive();
  };

  return {
    /** The rendered row that Tab reaches. */
    stop: (drawn: readonly number[], otherwise: number) => (drawn.includes(at) ? at : otherwise),
    go,
    onFocus: (e: FocusEvent) => {
      const line = e.target.closest<HTMLElement>("[data-index]");
      if (line) setAt(Number(line.dataset.index));
    },
    /** Returns where a key leads: -1 for the end of the list, null for a key that does not move. */
    onKeyDown: (e: KeyboardEvent): number | null => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return null;
      const line = (e.target as HTMLElement).closest<HTMLElement>("[data-index]");
      if (!line || e.target !== line.querySelector("button")) return null;
      const index = next(e.code, Number(line.dataset.index));
      if (index === null) return null;
      e.preventDefault();
      if (index >= 0) go(index);
      return index;
    },
  };
}
