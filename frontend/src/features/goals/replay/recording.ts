import { useEffect, useRef } from "react";
import type { GoalView, Problem, RecordedPane } from "@/bridge/types";
import { useCall } from "@/store/usecall";

interface Recording {
  /** null until it has loaded. */
  panes: readonly RecordedPane[] | null;
  problem: Problem | null;
  again: () => void;
}

/** Interval in ms in which a growing recording is loaded again. */
const pause = 2_000;

/** The recording of a goal. For a running goal it is loaded again after its steps. */
export function useRecording(view: GoalView): Recording {
  const { answer, problem, reload } = useCall("GoalAPI.Recording", view.id);
  const timer = useRef(0);

  useEffect(
    () => () => {
      window.clearTimeout(timer.current);
      timer.current = 0;
    },
    [reload],
  );

  const first = useRef(true);
  useEffect(() => {
    if (first.current) {
      first.current = false;
      return;
    }
    if (timer.current) return;
    timer.current = window.setTimeout(() => {
      timer.current = 0;
      void reload();
    }, pause);
  }, [reload, view.steps, view.status]);

  return { panes: answer ? (answer.panes ?? []) : null, problem, again: () => void reload() };
}
