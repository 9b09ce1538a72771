import { useEffect, useSyncExternalStore } from "react";
import { useApp, useAppState } from "@/store/context";
import { shownGoal } from "./needsyoutoasts";

const hasUser = () => document.hasFocus() && document.visibilityState === "visible";

function watchUser(change: () => void): () => void {
  window.addEventListener("focus", change);
  window.addEventListener("blur", change);
  document.addEventListener("visibilitychange", change);
  return () => {
    window.removeEventListener("focus", change);
    window.removeEventListener("blur", change);
    document.removeEventListener("visibilitychange", change);
  };
}

/** Tells the program which goal this window shows while it has the focus: that one causes no notifications. */
export function useLookedAtGoal(): void {
  const app = useApp();
  const goal = useAppState(shownGoal);
  const isHere = useSyncExternalStore(watchUser, hasUser);
  useEffect(() => app.sync.looksAt(isHere ? goal : ""), [app, goal, isHere]);
}
