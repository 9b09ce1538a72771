import { useMemo } from "react";
import { count, money } from "@/lib/bytes";
import { clock } from "@/lib/time";
import type { UsagePoint } from "@/store/journal";
import LinePlot, { type LinePlotProps } from "@/ui/lineplot";

interface SpendProps {
  usage: readonly UsagePoint[];
  startedAt: string;
  /** Dollars if a price is known, otherwise tokens. */
  unit: "usd" | "tokens";
  /** 0 for no limit. */
  limit: number;
}

function series(p: SpendProps): LinePlotProps["data"] {
  const start = Date.parse(p.startedAt) || p.usage[0]?.at || 0;
  const x = [0, ...p.usage.map((u) => Math.max(0, u.at - start))];
  const y = [0, ...p.usage.map((u) => (p.unit === "usd" ? u.usd : u.tokens))];
  return p.limit > 0 ? [x, y, x.map(() => p.limit)] : [x, y];
}

function pointInWords([x, y]: LinePlotProps["data"], n: number, unit: SpendProps["unit"]): string {
  const spent = y?.[n + 1] ?? 0;
  return `${clock(x[n + 1] ?? 0)} · ${unit === "usd" ? money(spent) : `${count(spent)} tokens`}`;
}

/** A goal's spending over time, against its limit. */
export default function SpendChart({ usage, startedAt, unit, limit }: SpendProps) {
  const data = useMemo(() => series({ usage, startedAt, unit, limit }), [usage, startedAt, unit, limit]);
  const last = usage[usage.length - 1];
  const spent = unit === "usd" ? money(last?.usd ?? 0) : `${count(last?.tokens ?? 0)} tokens`;
  return (
    <LinePlot
      data={data}
      height={92}
      label={`Spent ${spent} so far`}
      testid="spend-plot"
      formatX={clock}
      formatY={unit === "usd" ? money : count}
      points={{ first: 1, count: usage.length, describe: (n) => pointInWords(data, n, unit) }}
    />
  );
}
