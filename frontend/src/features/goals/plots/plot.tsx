import { useState } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import { downloadText } from "@/lib/download";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import LinePlot from "@/ui/lineplot";
import { csvOf, rowInWords, type Bar, type Series } from "./series";

interface PlotProps {
  /** How the names of its files begin. */
  file: string;
  series: Series;
}

/** A plot, or the numbers behind it, which can be copied and saved. */
export function Plot({ file, series }: PlotProps) {
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
              onClick={() => downloadText(`${file}-${id}.csv`, "text/csv", csvOf(series))}
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
      ) : series.bars ? (
        <Bars id={id} title={title} bars={series.bars} />
      ) : series.plot ? (
        <>
          <LinePlot
            {...series.plot}
            height={150}
            label={series.label}
            testid={`plot-${id}-drawn`}
            points={{
              first: series.firstRow ?? 0,
              count: series.rows.length,
              describe: (n) => rowInWords(series, n),
            }}
          />
          {series.plot.colors ? <Legend series={series} colors={series.plot.colors} /> : null}
        </>
      ) : null}
    </section>
  );
}

/** Bars with their names and values, the longest first. */
function Bars({ id, title, bars }: { id: string; title: string; bars: readonly Bar[] }) {
  return (
    <ul aria-label={title} className="flex flex-col gap-1.5 text-xs" data-testid={`plot-${id}-drawn`}>
      {bars.map(({ name, value, part }) => (
        <li
          key={name}
          className={
            "grid grid-cols-[120px_minmax(0,1fr)_130px] items-center gap-3 " +
            "max-[640px]:grid-cols-[96px_minmax(0,1fr)_104px]"
          }
        >
          <span className="text-text-muted">{name}</span>
          <span aria-hidden className="h-3 overflow-hidden rounded-sm bg-surface-hover">
            <span className="block h-full rounded-sm bg-accent" style={{ width: `${part * 100}%` }} />
          </span>
          <span className="text-right tabular-nums">{value}</span>
        </li>
      ))}
    </ul>
  );
}

/** The names of the lines. A table without colors has the same numbers. */
function Legend({ series, colors }: { series: Series; colors: readonly string[] }) {
  return (
    <ul
      className="mt-1 flex flex-wrap gap-x-4 gap-y-1 text-xs text-text-muted"
      data-testid={`plot-${series.id}-legend`}
    >
      {colors.map((color, i) => (
        <li key={color} className="flex min-w-0 items-center gap-1.5">
          <span aria-hidden className="h-0.5 w-4 shrink-0" style={{ background: `var(${color})` }} />
          <span className="min-w-0 truncate">{series.columns[i + 1]?.title}</span>
        </li>
      ))}
    </ul>
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
            {columns.map((c, n) => (
              <th key={n} scope="col" className={`${cell} font-medium`}>
                {c.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i} className="border-t border-border">
              {columns.map((c, n) => (
                <td key={n} className={cell}>
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
