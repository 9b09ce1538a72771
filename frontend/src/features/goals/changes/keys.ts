import { useEffect, useRef } from "react";

export interface ChangesKeys {
  nextFile: () => void;
  previousFile: () => void;
  nextHunk: () => void;
  previousHunk: () => void;
  undoFile: () => void;
  edit: () => void;
}

const actionOf: Partial<Record<string, keyof ChangesKeys>> = {
  "]": "nextFile",
  "[": "previousFile",
  j: "nextHunk",
  k: "previousHunk",
  u: "undoFile",
  e: "edit",
};

/**
 * ] and [ move between files, J and K between hunks; U undoes a file, E edits it. They take precedence over the keys
 * of the goal list, where J and K move between goals.
 */
export function useChangesKeys(actions: ChangesKeys) {
  const newest = useRef(actions);
  useEffect(() => {
    newest.current = actions;
  });
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (e.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName)) return;
      const action = actionOf[e.key];
      if (!action) return;
      newest.current[action]();
      e.preventDefault();
    };
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, []);
}

/** Scrolls the open file to the next hunk, or to the previous one for -1. */
export function scrollToHunk(by: 1 | -1) {
  const scroller = document.querySelector<HTMLElement>("[data-diff-scroller]");
  if (!scroller) return;
  const top = scroller.getBoundingClientRect().top;
  const places = [...scroller.querySelectorAll("[data-hunk]")].map((h) => h.getBoundingClientRect().top - top);
  const place = by > 0 ? places.find((y) => y > 1) : places.findLast((y) => y < -1);
  if (place !== undefined) scroller.scrollTop += place;
}
