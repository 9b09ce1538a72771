import { useEffect, useMemo, useRef, type ReactNode } from "react";
import type { GoalView } from "@/bridge/types";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import { Plot } from "./plot";
import { seriesOf } from "./series";

interface PlotsProps {
  view: GoalView;
  /** The tabs, on the left of the bar. */
  before: ReactNode;
}

/** Plots of one goal over its running time, with the numbers behind them. */
export default function Plots({ view, before }: PlotsProps) {
  const { answer, problem, reload } = useCall("GoalAPI.Plots", view.id);
  const passed = (view.check_states ?? []).map((c) => `${c.claim} ${c.outcome}`).join();
  // Only these change a plot. The first answer has them already.
  const state = `${view.tokens_in + view.tokens_out} ${passed}`;
  const read = useRef(state);
  useEffect(() => {
    if (read.current === state) return;
    read.current = state;
    void reload();
  }, [reload, state]);
  const plots = useMemo(() => (answer ? seriesOf(view, answer) : []), [view, answer]);
  return (
    <div className="flex min-h-0 flex-1 flex-col max-[900px]:h-[480px] max-[900px]:flex-none" data-testid="plots">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-border px-4 py-1 text-xs">
        {before}
      </div>
      <div tabIndex={0} role="group" aria-label="Plots" className="min-h-0 flex-1 overflow-y-auto px-5 py-3">
        {problem ? (
          <div role="alert" className="flex items-center gap-3 text-xs" data-testid="plots-problem">
            <span>
              <span className="text-bad">{problem.message}</span> {problem.hint}
            </span>
            <Button onClick={() => void reload()}>Try again</Button>
          </div>
        ) : null}
        {plots.map((s) => (
          <Plot key={s.id} file={view.id} series={s} />
        ))}
        {answer ? (
          <p className="text-2xs text-text-faint">
            Running time: what passed while the goal was paused does not count.
          </p>
        ) : null}
      </div>
    </div>
  );
}
