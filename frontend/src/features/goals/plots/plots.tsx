import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { GoalView } from "@/bridge/types";
import { downloadText } from "@/lib/download";
import { useApp } from "@/store/context";
import { useCall } from "@/store/usecall";
import { Button } from "@/ui/button";
import LinePlot from "@/ui/lineplot";
import { csvOf, seriesOf, type Series } from "./series";

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
          <Plot key={s.id} goal={view.id} series={s} />
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

function Plot({ goal, series }: { goal: string; series: Series }) {
  const app = useApp();
  const [table, setTable] = useState(false);
  const { id, title } = series;
  const empty = series.rows.length === 0;
  const copy = async () => {
    if (await writeClipboard(csvOf(series))) app.notices.done("Copied as CSV");
  };
  return (
    <section className="mb-5" aria-label={title} data-testid={`plot-${id}`}>
      <div className="mb-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs">
        <h3 className="font-medium">{title}</h3>
        {empty ? null : (
          <>
            <span className="text-text-faint tabular-nums" data-testid={`plot-${id}-now`}>
              {series.now}
            </span>
            <span className="flex-1" />
            <Button
              look="quiet"
              aria-pressed={table}
              className={table ? "bg-surface-hover text-text" : ""}
              data-testid={`plot-${id}-table`}
              aria-label={`${title} as a table`}
              onClick={() => setTable(!table)}
            >
              Table
            </Button>
            <Button
              look="quiet"
              data-testid={`plot-${id}-copy`}
              aria-label={`Copy CSV of ${title}`}
              onClick={() => void copy()}
            >
              Copy CSV
            </Button>
            <Button
              look="quiet"
              data-testid={`plot-${id}-download`}
              aria-label={`Download CSV of ${title}`}
              onClick={() => downloadText(`${goal}-${id}.csv`, "text/csv", csvOf(series))}
            >
              Download CSV
            </Button>
          </>
        )}
      </div>
      {empty ? (
        <p className="text-xs text-text-faint" data-testid={`plot-${id}-empty`}>
          {series.empty}
        </p>
      ) : table ? (
        <Numbers series={series} />
      ) : (
        <LinePlot {...series.plot} height={150} label={series.label} testid={`plot-${id}-drawn`} />
      )}
    </section>
  );
}

function Numbers({ series: { id, title, columns, rows } }: { series: Series }) {
  const cell = "px-3 py-1 text-right whitespace-nowrap tabular-nums";
  return (
    <div
      className="max-h-72 overflow-auto rounded-md border border-border"
      tabIndex={0}
      role="region"
      aria-label={`Numbers of ${title}`}
    >
      <table className="selectable w-full text-xs" data-testid={`plot-${id}-numbers`}>
        <thead className="text-text-faint">
          <tr>
            {columns.map((c) => (
              <th key={c.name} scope="col" className={`${cell} font-medium`}>
                {c.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} className="border-t border-border">
              {columns.map((c, n) => (
                <td key={c.name} className={cell}>
                  {c.show(row[n] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
