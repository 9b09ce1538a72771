import { useEffect, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
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
  /** The points whose values the cursor shows; without it, there is no cursor. */
  points?: PlotPoints;
}

/** The points of a plot in words. */
export interface PlotPoints {
  /** The place of the first one in the data, which may have more before and after them for the drawing. */
  first: number;
  count: number;
  describe: (n: number) => string;
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

/** Where the arrow keys and others of the plot move the cursor. */
function pointAfter(code: string, at: number, last: number): number | undefined {
  const page = Math.max(1, Math.round(last / 10));
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - page, PageUp: at + page, Home: 0, End: last }[
    code
  ];
  return to === undefined ? undefined : Math.min(Math.max(0, to), last);
}

/**
 * Lines over an axis of time, in the colors of the theme. They are drawn at once, without any motion. A cursor shows
 * the values of a point: the mouse, a finger and the arrow keys move it.
 */
export default function LinePlot(p: LinePlotProps) {
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const points = useRef<PlotPoints | undefined>(undefined);
  const theme = usePageTheme();
  const plot = useRef<uPlot | null>(null);
  const { data, height, shape = "line", top = 1e-6, whole = false, colors, formatX, formatY } = p;
  const lines = data.length - 1;
  const hasCursor = p.points !== undefined && p.points.count > 0;

  useEffect(() => {
    points.current = p.points;
  });

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
        cursor: hasCursor
          ? {
              y: false,
              drag: { x: false, y: false },
              points: { show: shape !== "bars" },
              move: (u, left, top) => [atPoint(u, left, shape, points.current), top],
            }
          : { show: false },
        hooks: {
          setCursor: [
            ({ cursor: { left = -1, idx } }) => {
              setAt(left < 0 || idx == null ? null : pointOf(idx, points.current));
            },
          ],
        },
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
  }, [height, shape, top, whole, lines, colors, formatX, formatY, theme, hasCursor]);

  useEffect(() => {
    plot.current?.setData(data);
  }, [data, height, shape, top, whole, lines, colors, formatX, formatY, theme, hasCursor]);

  if (!p.points || !hasCursor) return <div ref={host} role="img" aria-label={p.label} data-testid={p.testid} />;
  const { first, count, describe } = p.points;
  const last = count - 1;
  const shown = at === null ? null : Math.min(at, last);
  const move = (to: number) => {
    setAt(to);
    const u = plot.current;
    const x = data[0][first + to];
    if (u && x !== undefined) u.setCursor({ left: u.valToPos(x, "x"), top: 0 }, false);
  };
  const press = (e: KeyboardEvent) => {
    if (e.altKey || e.ctrlKey || e.metaKey || e.shiftKey) return;
    // The first key shows the newest point.
    const to = pointAfter(e.code, shown ?? (e.code === "ArrowLeft" ? last + 1 : last), last);
    if (to === undefined) return;
    e.preventDefault();
    e.stopPropagation();
    move(to);
  };
  /** A finger that moves sideways moves the cursor; one that moves up or down scrolls. */
  const touch = (e: PointerEvent) => {
    const u = plot.current;
    if (e.pointerType !== "touch" || !u) return;
    const left = e.clientX - u.over.getBoundingClientRect().left;
    u.setCursor({ left: Math.min(Math.max(0, left), u.over.clientWidth - 1), top: 0 });
  };
  return (
    <>
      <div
        ref={host}
        role="slider"
        tabIndex={0}
        aria-label={p.label}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={(shown ?? last) + 1}
        aria-valuetext={describe(shown ?? last)}
        className="touch-pan-y rounded-sm"
        data-testid={p.testid}
        onKeyDown={press}
        onPointerDown={touch}
        onPointerMove={touch}
      />
      <p className="mt-1 min-h-[18px] pl-12 text-xs text-text-muted tabular-nums" data-testid={`${p.testid}-value`}>
        {shown === null ? "" : describe(shown)}
      </p>
    </>
  );
}

/** The point that a place of the data belongs to. */
function pointOf(index: number, points: PlotPoints | undefined): number | null {
  if (!points) return null;
  return Math.min(Math.max(0, index - points.first), points.count - 1);
}

/** Where the cursor is drawn: at the point that is nearest to the pointer; a step or bar begins at its point. */
function atPoint(u: uPlot, left: number, shape: LinePlotProps["shape"], points: PlotPoints | undefined): number {
  if (left < 0 || !points) return left;
  const near = u.posToIdx(left);
  const isNext = shape !== "line" && (u.data[0][near] ?? 0) > u.posToVal(left, "x");
  const x = u.data[0][points.first + (pointOf(isNext ? near - 1 : near, points) ?? 0)];
  return x === undefined ? left : Math.max(0, u.valToPos(x, "x"));
}
