import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent, type RefObject } from "react";

interface Lines {
  /** Holds the lines that are drawn, each with its `data-index`; a line is reached by its first button. */
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** Says whether a line can be reached; heads and notes cannot. */
  stops: (index: number) => boolean;
  /** Scrolls a line into sight. */
  show: (index: number) => void;
}

/**
 * One Tab stop for a list of thousands: inside it the arrows, Home and End continue, also to lines that are not
 * drawn yet.
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
  // A line that was out of sight is drawn some renders later.
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
    /** The line that Tab reaches, of those that are drawn. */
    stop: (drawn: readonly number[], otherwise: number) => (drawn.includes(at) ? at : otherwise),
    go,
    onFocus: (e: FocusEvent) => {
      const line = e.target.closest<HTMLElement>("[data-index]");
      if (line) setAt(Number(line.dataset.index));
    },
    /** Says where a key leads, -1 for the end of the list, null where it is not a key of lists. */
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
