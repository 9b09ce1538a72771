import type { GoalPlots, GoalView } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { csv } from "@/lib/csv";
import { plural } from "@/lib/text";
import { clock, span } from "@/lib/time";
import type { LinePlotProps } from "@/ui/lineplot";

interface Column {
  title: string;
  name: string;
  show: (n: number) => string;
  /** How it is in the CSV, if not as the number. */
  write?: (n: number) => string;
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
  plot: Pick<LinePlotProps, "data" | "formatX" | "formatY" | "shape" | "top" | "whole" | "colors">;
  /** The names of the columns for people, and in the CSV. */
  columns: readonly Column[];
  rows: readonly (readonly number[])[];
}

const running = { title: "Running time", name: "running_ms", show: clock };

/** The plots of a goal: checks that pass, what was spent, tokens a minute. */
export function seriesOf(view: GoalView, plots: GoalPlots): Series[] {
  return [passing(plots), spend(view, plots), rate(plots)];
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

/** The numbers of a plot as CSV, with full precision. */
export function csvOf({ columns, rows }: Series): string {
  return csv([columns.map((c) => c.name), ...rows.map((row) => row.map((n, i) => columns[i]?.write?.(n) ?? n))]);
}
