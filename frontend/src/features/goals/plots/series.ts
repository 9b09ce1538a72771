import type { GoalPlots, GoalView, TimeKind } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { csv } from "@/lib/csv";
import { plural } from "@/lib/text";
import { clock, formatElapsed, span } from "@/lib/time";
import type { LinePlotProps } from "@/ui/lineplot";

interface Column {
  title: string;
  name: string;
  show: (n: number) => string;
  /** How it is in the CSV, if not as the number. */
  write?: (n: number) => string;
}

export interface Bar {
  name: string;
  value: string;
  /** Its length, from 0 to 1. */
  part: number;
}

/** A plot with the numbers behind it. */
export interface Series {
  /** Its name in test ids and in the names of files. */
  id: string;
  title: string;
  /** The newest value in words. */
  now: string;
  /** The plot in words. */
  label: string;
  /** What is said instead of a plot without a point. */
  empty: string;
  /** What is drawn: lines, or bars with a name each. */
  plot?: Pick<LinePlotProps, "data" | "formatX" | "formatY" | "shape" | "top" | "whole" | "colors">;
  /** The place in the plot's data of the first row. */
  firstRow?: number;
  bars?: readonly Bar[];
  /** The names of the columns for people, and in the CSV. */
  columns: readonly Column[];
  rows: readonly (readonly number[])[];
}

const running = { title: "Running time", name: "running_ms", show: clock };

/** The plots of a goal: checks that pass, what was spent, tokens a minute, how full the context was, where time went. */
export function seriesOf(view: GoalView, plots: GoalPlots): Series[] {
  return [passing(plots), spend(view, plots), rate(plots), context(view, plots), times(plots)];
}

function passing({ checks, passing: list }: GoalPlots): Series {
  const points = list ?? [];
  const last = points.at(-1)?.passing ?? 0;
  const now = `${last} of ${plural(checks, "check")}`;
  const end = Math.max(points.at(-1)?.at_ms ?? 0, 1);
  return {
    id: "checks",
    title: "Checks passing",
    now,
    label: `${now} passed after ${plural(points.length, "claim")}`,
    empty: "No check has run yet. They run when the agent claims that it is done.",
    plot: {
      data: [
        [0, ...points.map((p) => p.at_ms), end * 1.04],
        [0, ...points.map((p) => p.passing), last],
      ],
      formatX: span,
      formatY: String,
      shape: "steps",
      top: checks * 1.08,
      whole: true,
    },
    firstRow: 1,
    columns: [
      running,
      { title: "Claim", name: "claim", show: String },
      { title: "Passing", name: "passing", show: String },
      { title: "Checks", name: "checks", show: String },
    ],
    rows: points.map((p) => [p.at_ms, p.claim, p.passing, checks]),
  };
}

function spend(view: GoalView, { spend: list, guessed }: GoalPlots): Series {
  const points = list ?? [];
  const priced = view.usd > 0 || view.max_usd > 0;
  const limit = priced ? view.max_usd : view.max_tokens;
  const show = priced ? money : count;
  const values = points.map((p) => (priced ? p.usd : p.tokens));
  const spent = `${show(values.at(-1) ?? 0)}${priced ? "" : " tokens"}`;
  const now = `${spent}${limit > 0 ? ` of ${show(limit)}` : ""}${guessed ? ", partly estimated" : ""}`;
  const x = [0, ...points.map((p) => p.at_ms)];
  const y = [0, ...values];
  return {
    id: "spend",
    title: "Spend",
    now,
    label: `${now} after ${clock(points.at(-1)?.at_ms ?? 0)}`,
    empty: "No model was used yet.",
    plot: {
      data: limit > 0 ? [x, y, x.map(() => limit)] : [x, y],
      formatX: span,
      formatY: show,
    },
    firstRow: 1,
    columns: [
      running,
      { title: "Spent", name: "usd", show: (n) => (priced ? money(n) : "–") },
      { title: "Tokens", name: "tokens", show: count },
    ],
    rows: points.map((p) => [p.at_ms, p.usd, p.tokens]),
  };
}

function rate({ rate: list, rate_ms }: GoalPlots): Series {
  const points = list ?? [];
  const most = points.reduce((m, p) => Math.max(m, p.per_minute), 0);
  const newest = count(points.at(-1)?.per_minute ?? 0);
  const now = rate_ms > 60_000 ? `${newest}, the mean of the last ${span(rate_ms)}` : `${newest} in the last minute`;
  return {
    id: "tokens",
    title: "Tokens a minute",
    now,
    label: `${now}, ${count(most)} at most`,
    empty: "No model was used yet.",
    plot: {
      // The last bar needs its width, too.
      data: [
        [...points.map((p) => p.at_ms), points.length * rate_ms],
        [...points.map((p) => p.per_minute), null],
      ],
      formatX: span,
      formatY: count,
      shape: "bars",
      top: 1,
    },
    columns: [running, { title: "Tokens a minute", name: "tokens_per_minute", show: count }],
    rows: points.map((p) => [p.at_ms, p.per_minute]),
  };
}

const percent = (part: number) => `${Math.round(part * 100)} %`;

function context(view: GoalView, { context: list }: GoalPlots): Series {
  const points = list ?? [];
  const fill = (p: { tokens: number; window: number } | undefined) =>
    p && p.window > 0 ? `${count(p.tokens)} of ${count(p.window)} tokens, ${percent(p.tokens / p.window)} full` : "";
  const last = points.at(-1);
  const fullest = points.reduce(
    (most, p) => (p.tokens > most.tokens ? p : most),
    points[0] ?? { tokens: 0, window: 0 },
  );
  const now = fill(last) || `${count(last?.tokens ?? 0)} tokens, the model's window was not recorded`;
  const x = points.map((p) => p.at_ms);
  const y = points.map((p) => p.tokens);
  return {
    id: "context",
    title: "Context",
    now,
    label: `${now}, ${fill(fullest) || `${count(fullest.tokens)} tokens`} at most`,
    empty: view.options.engine
      ? "An external agent has its own conversation, so how full its context was is not known."
      : "No model was used yet.",
    plot: {
      data: points.some((p) => p.window > 0) ? [x, y, points.map((p) => p.window || null)] : [x, y],
      formatX: span,
      formatY: count,
      top: 1,
    },
    columns: [
      running,
      { title: "Tokens", name: "tokens", show: count },
      {
        title: "Window",
        name: "window",
        show: (n) => (n > 0 ? count(n) : "not recorded"),
        write: (n) => (n > 0 ? String(n) : ""),
      },
      {
        title: "Full",
        name: "percent",
        show: (n) => (n > 0 ? percent(n) : "–"),
        write: (n) => (n > 0 ? (n * 100).toFixed(1) : ""),
      },
    ],
    rows: points.map((p) => [p.at_ms, p.tokens, p.window, p.window > 0 ? p.tokens / p.window : 0]),
  };
}

const timeKinds: Record<TimeKind, string> = {
  model: "Model",
  commands: "Commands",
  pages: "Pages",
  files: "Files",
  tools: "Other tools",
  checks: "Checks of claims",
  user: "Waiting for you",
  host: "Goalpost itself",
};

/** Where the running time went. */
function times({ times: list }: GoalPlots): Series {
  const kinds = list ?? [];
  const total = kinds.reduce((sum, k) => sum + k.ms, 0);
  const most = Math.max(1, ...kinds.map((k) => k.ms));
  const part = (ms: number) => (total > 0 ? ms / total : 0);
  const kindAt = (n: number) => kinds[n]?.kind ?? "host";
  return {
    id: "time",
    title: "Time by kind",
    now: `${clock(total)} in all`,
    label: kinds.map((k) => `${timeKinds[k.kind]} ${formatElapsed(k.ms)}`).join(", "),
    empty: "Nothing was done yet.",
    bars: kinds.map((k) => ({
      name: timeKinds[k.kind],
      value: `${formatElapsed(k.ms)}, ${percent(part(k.ms))}`,
      part: k.ms / most,
    })),
    columns: [
      { title: "Kind", name: "kind", show: (n) => timeKinds[kindAt(n)], write: kindAt },
      { title: "Time", name: "ms", show: formatElapsed },
      { title: "Share", name: "percent", show: percent, write: (n) => (n * 100).toFixed(1) },
      { title: "Times", name: "times", show: (n) => (n > 0 ? String(n) : "–") },
    ],
    rows: kinds.map((k, n) => [n, k.ms, part(k.ms), k.times]),
  };
}

/** A row of the table as one line. */
export function rowInWords({ columns, rows }: Series, n: number): string {
  return columns.map((c, i) => `${c.title} ${c.show(rows[n]?.[i] ?? 0)}`).join(" · ");
}

/** The numbers of a plot as CSV, with full precision. */
export function csvOf({ columns, rows }: Series): string {
  return csv([columns.map((c) => c.name), ...rows.map((row) => row.map((n, i) => columns[i]?.write?.(n) ?? n))]);
}
