import { useApp, useAppState } from "@/store/context";

/** The checks of a goal that run again, and what they said last. */
export function useRecheck(goal: string): { busy: boolean; result: string; run: () => void } {
  const app = useApp();
  const state = useAppState((s) => s.rechecks[goal]);
  const busy = state?.busy ?? false;
  return {
    busy,
    result: busy ? "Running the checks again…" : (state?.words ?? ""),
    run: () => app.folder.recheck(goal),
  };
}
