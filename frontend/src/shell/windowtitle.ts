import { useEffect } from "react";
import { wails } from "@/bridge/wails";
import { summary } from "@/store/goals";
import { useAppState } from "@/store/context";

/** The title of the window or the browser tab, with the number of goals that need the user. */
export function windowTitle(needs: number): string {
  return needs > 0 ? `(${needs}) Goalpost` : "Goalpost";
}

export function useWindowTitle() {
  const needs = useAppState((s) => summary(s.goals.byId).by.needs_you.length);
  useEffect(() => {
    document.title = windowTitle(needs);
    wails().runtime?.WindowSetTitle?.(windowTitle(needs));
  }, [needs]);
}
