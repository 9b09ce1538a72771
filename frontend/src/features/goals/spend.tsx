import { useEffect, useMemo, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { count, money } from "@/lib/bytes";
import { clock } from "@/lib/time";
import type { UsagePoint } from "@/store/journal";
import { usePageTheme } from "@/ui/usepagetheme";

interface SpendProps {
  usage: readonly UsagePoint[];
  startedAt: string;
  /** Dollars if a price is known, otherwise tokens. */
  unit: "usd" | "tokens";
  /** 0 for no limit. */
  limit: number;
}

const height = 92;

function series(p: SpendProps): uPlot.AlignedData {
  const start = Date.parse(p.startedAt) || p.usage[0]?.at || 0;
  const x = [0, ...p.usage.map((u) => Math.max(0, u.at - start))];
  const y = [0, ...p.usage.map((u) => (p.unit === "usd" ? u.usd : u.tokens))];
  return p.limit > 0 ? [x, y, x.map(() => p.limit)] : [x, y];
}

/** A goal's spending over time, against its limit. */
export default function SpendChart(p: SpendProps) {
  const host = useRef<HTMLDivElement>(null);
  const theme = usePageTheme();
  const { usage, startedAt, unit, limit } = p;
  const data = useMemo(() => series({ usage, startedAt, unit, limit }), [usage, startedAt, unit, limit]);
  const plot = useRef<uPlot | null>(null);
  const limited = limit > 0;

  useEffect(() => {
    const el = host.current;
    if (!el) return;
    const style = getComputedStyle(document.documentElement);
    const token = (name: string) => style.getPropertyValue(name).trim();
    const axis = { stroke: token("--text-faint"), font: "10px Inter Variable", ticks: { show: false }, gap: 2 };
    const u = new uPlot(
      {
        width: el.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        padding: [6, 14, 0, 0],
        scales: { x: { time: false }, y: { range: (_u, _min, max) => [0, Math.max(max * 1.08, 1e-6)] } },
        axes: [
          { ...axis, grid: { show: false }, space: 70, size: 20, gap: 5, values: (_u, v) => v.map((ms) => clock(ms)) },
          {
            ...axis,
            space: 30,
            size: 42,
            grid: { stroke: token("--border"), width: 1 },
            values: (_u, v) => v.map((n) => (unit === "usd" ? money(n) : count(n))),
          },
        ],
        series: [
          {},
          { stroke: token("--accent"), width: 1.5, fill: token("--accent-bg"), points: { show: false } },
          ...(limited ? [{ stroke: token("--warn"), width: 1, dash: [3, 4], points: { show: false } }] : []),
        ],
      },
      [[], []],
      el,
    );
    plot.current = u;
    const watch = new ResizeObserver(() => u.setSize({ width: el.clientWidth, height }));
    watch.observe(el);
    return () => {
      watch.disconnect();
      plot.current = null;
      u.destroy();
    };
  }, [unit, limited, theme]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data, unit, limited, theme]);

  const last = usage[usage.length - 1];
  const spent = unit === "usd" ? money(last?.usd ?? 0) : `${count(last?.tokens ?? 0)} tokens`;
  return <div ref={host} role="img" aria-label={`Spent ${spent} so far`} data-testid="spend-plot" />;
}
