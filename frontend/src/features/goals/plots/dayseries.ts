import type { SpendLineBy, SpendPlot } from "@/bridge/types";
import { modelName } from "@/features/goals/filters";
import { folderName } from "@/features/goals/listorder";
import { money } from "@/lib/bytes";
import type { Series } from "./series";

const colors = ["--accent", "--ok", "--warn", "--agent", "--bad"] as const;
const dayMs = 24 * 60 * 60 * 1_000;

/** What all goals spent, day by day, with a line for each of the most expensive models, personas or folders. */
export function daySeries(plot: SpendPlot): Series {
  const { by } = plot;
  if (by === "day") return eachDay(plot);
  const days = plot.days ?? [];
  const lines = (plot.lines ?? []).map(({ key, usd }) => ({ name: nameOf(by, key), usd: usd ?? [] }));
  const shown = lines.length > colors.length + 1 ? lines.slice(0, colors.length) : lines;
  const rest = lines.slice(shown.length);
  if (rest.length > 0) {
    shown.push({
      name: `${rest.length} others`,
      usd: days.map((_, i) => rest.reduce((sum, l) => sum + (l.usd[i] ?? 0), 0)),
    });
  }
  const total = lines.reduce((sum, l) => sum + (l.usd.at(-1) ?? 0), 0);
  const { date, formatX } = calendar(days);
  const now = `${money(total)} in ${days.length} days`;
  return {
    id: "days",
    title: "Cumulative spend by day",
    now,
    label: [now, ...shown.map((l) => `${l.name} ${money(l.usd.at(-1) ?? 0)}`)].join(", "),
    empty: nothing(days),
    plot: {
      data: [days.map((_, i) => i * dayMs), ...shown.map((l) => l.usd)],
      formatX,
      formatY: money,
      colors: [...colors, "--text-muted"].slice(0, shown.length),
    },
    columns: [
      { title: "Day", name: "day", show: date, write: date },
      ...shown.map((l) => ({ title: l.name, name: l.name, show: money })),
    ],
    rows: shown.length > 0 ? days.map((_, i) => [i, ...shown.map((l) => l.usd[i] ?? 0)]) : [],
  };
}

/** What all goals spent on each day, without the days before it. */
function eachDay({ days: list, lines }: SpendPlot): Series {
  const days = list ?? [];
  const sums = lines?.[0]?.usd ?? [];
  const spent = sums.map((usd, i) => Number((usd - (sums[i - 1] ?? 0)).toFixed(9)));
  const { date, formatX } = calendar(days);
  const now = `${money(sums.at(-1) ?? 0)} in ${days.length} days`;
  return {
    id: "days",
    title: "Spend by day",
    now,
    label: `${now}, ${money(Math.max(0, ...spent))} a day at most`,
    empty: nothing(days),
    plot: {
      // The last bar needs its width, too.
      data: [[...days, ""].map((_, i) => i * dayMs), [...spent, null]],
      formatX,
      formatY: money,
      shape: "bars",
    },
    columns: [
      { title: "Day", name: "day", show: date, write: date },
      { title: "Spent", name: "usd", show: money },
    ],
    rows: spent.map((usd, i) => [i, usd]),
  };
}

const nothing = (days: readonly string[]) => `Nothing was spent in the last ${days.length} days.`;

/** The dates of the days by their numbers, and on the axis. */
function calendar(days: readonly string[]) {
  const start = Date.parse(`${days[0] ?? ""}T00:00:00Z`);
  return {
    date: (n: number) => new Date(start + n * dayMs).toISOString().slice(0, 10),
    formatX: (ms: number) =>
      new Date(start + ms).toLocaleDateString("en", { day: "numeric", month: "short", timeZone: "UTC" }),
  };
}

function nameOf(by: SpendLineBy, key: string): string {
  if (by === "model") return key ? modelName(key) : "Unknown model";
  if (by === "persona") return key || "No persona, no goal, or deleted";
  return key ? folderName(key) : "No goal, or deleted";
}
