import { useCallback, useRef, useState } from "react";
import { useApp } from "@/store/context";

/** Runs the checks of a goal again, one run at a time. Requests during a run lead to one more run. */
export function useRecheck(goal: string): { result: string; run: () => void } {
  const app = useApp();
  const [result, setResult] = useState("");
  const runs = useRef(0); // 2: one more is asked for
  const run = useCallback(() => {
    if (runs.current > 0) {
      runs.current = 2;
      return;
    }
    const once = async (): Promise<void> => {
      runs.current = 1;
      setResult("Running the checks again…");
      const out = await app.ask("GoalAPI.Recheck", goal);
      if (runs.current > 1) return once();
      runs.current = 0;
      setResult(out ? words(out) : "");
    };
    void once();
  }, [app, goal]);
  return { result, run };
}

function words({ passed, open }: { passed: boolean; open: boolean }): string {
  if (passed) return "The checks pass.";
  return open ? "The checks cannot be run again." : "The checks fail now.";
}
