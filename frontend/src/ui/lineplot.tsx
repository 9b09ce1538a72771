import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { usePageTheme } from "./usepagetheme";

export interface LinePlotProps {
  /** The x values, in ms, and the y values of each line. */
  data: uPlot.AlignedData;
  height: number;
  /** What the plot says, in words, for those who do not see it. */
  label: string;
  testid: string;
  formatX: (x: number) => string;
  formatY: (y: number) => string;
  /** The token of each line's color, for several lines of the same kind. */
  colors?: readonly string[];
  /** How the first line goes from point to point. A second one is a dashed limit. */
  shape?: "line" | "steps" | "bars";
  /** The least height of the y axis. */
  top?: number;
  /** Only whole numbers are marked on the y axis. */
  whole?: boolean;
}

const [second, minute, hour] = [1_000, 60_000, 3_600_000];
/** The distances of marks on the x axis. */
const timeSteps = [
  ...[1, 2, 5, 10, 20, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 20, 30].map((n) => n * minute),
  ...[1, 2, 4, 6, 12, 24, 48, 168, 720, 8_760].map((n) => n * hour),
];

function pathsOf(shape: LinePlotProps["shape"]): uPlot.Series.PathBuilder | undefined {
  if (shape === "steps") return uPlot.paths.stepped?.({ align: 1 });
  if (shape === "bars") return uPlot.paths.bars?.({ align: 1, size: [0.85, 60] });
  return undefined;
}

type Token = (name: string) => string;

function linesOf(shape: LinePlotProps["shape"], lines: number, token: Token): uPlot.Series[] {
  const paths = pathsOf(shape);
  const isBars = shape === "bars";
  const first: uPlot.Series = {
    stroke: token("--accent"),
    width: isBars ? 0 : 1.5,
    fill: token(isBars ? "--accent" : "--accent-bg"),
    points: { show: false },
    ...(paths ? { paths } : {}),
  };
  const limit: uPlot.Series = { stroke: token("--warn"), width: 1, dash: [3, 4], points: { show: false } };
  return lines > 1 ? [first, limit] : [first];
}

/** Lines over an axis of time, in the colors of the theme. They are drawn at once, without any motion. */
export default function LinePlot(p: LinePlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const theme = usePageTheme();
  const plot = useRef<uPlot | null>(null);
  const { data, height, shape = "line", top = 1e-6, whole = false, colors, formatX, formatY } = p;
  const lines = data.length - 1;

  useEffect(() => {
    const el = host.current;
    if (!el) return;
    const style = getComputedStyle(document.documentElement);
    const token: Token = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: token("--text-faint"), font: "10px Inter Variable", ticks: { show: false }, gap: 2 };
    const u = new uPlot(
      {
        width: el.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        padding: [6, 22, 0, 0],
        scales: {
          // Without data yet, uPlot gives null for both, which counts as 0 here.
          x: { time: false, range: (_u, min, max) => [Math.max(0, min), Math.max(max, min + 1)] },
          y: { range: (_u, _min, max) => [0, Math.max(max * 1.08, top)] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 70,
            size: 20,
            gap: 5,
            incrs: timeSteps,
            values: (_u, v) => v.map(formatX),
          },
          {
            ...axis,
            space: 30,
            size: 48,
            ...(whole ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] } : {}),
            grid: { stroke: token("--border"), width: 1 },
            values: (_u, v) => v.map(formatY),
          },
        ],
        series: [
          {},
          ...(colors
            ? colors.map((c) => ({ stroke: token(c), width: 1.5, points: { show: false } }))
            : linesOf(shape, lines, token)),
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
  }, [height, shape, top, whole, lines, colors, formatX, formatY, theme]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data, height, shape, top, whole, lines, colors, formatX, formatY, theme]);

  return <div ref={host} role="img" aria-label={p.label} data-testid={p.testid} />;
}
