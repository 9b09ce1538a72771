import { useEffect, useRef } from "react";
import type { GoalView, Problem, RecordedPane } from "@/bridge/types";
import { useCall } from "@/store/usecall";

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
