import { useCallback, useEffect, useRef, useState } from "react";
import { asProblem } from "@/bridge/problem";
import type { GoalView, Problem, RecordedPane } from "@/bridge/types";
import { useApp } from "@/store/context";

interface Recording {
  /** null until it is known. */
  panes: readonly RecordedPane[] | null;
  problem: Problem | null;
  again: () => void;
}

/** How often what is still being recorded is looked at again, ms. */
const pause = 2_000;

/** What was recorded of a goal; of one that runs it is asked again after its steps. */
export function useRecording(view: GoalView): Recording {
  const app = useApp();
  const { id } = view;
  const [panes, setPanes] = useState<readonly RecordedPane[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const timer = useRef(0);
  const stale = useRef(false);

  const read = useCallback(() => {
    app.bridge.call("GoalAPI.Recording", id).then(
      (r) => {
        if (stale.current) return;
        setPanes(r.panes ?? []);
        setProblem(null);
      },
      (reason: unknown) => !stale.current && setProblem(asProblem(reason)),
    );
  }, [app, id]);

  useEffect(() => {
    stale.current = false;
    read();
    return () => {
      stale.current = true;
      window.clearTimeout(timer.current);
      timer.current = 0;
    };
  }, [read]);

  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (timer.current) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      read();
    }, pause);
  }, [read, view.steps, view.status]);

  return { panes, problem, again: read };
}
