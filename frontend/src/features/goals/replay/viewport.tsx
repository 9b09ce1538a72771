import "@xterm/xterm/css/xterm.css";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { asProblem } from "@/bridge/problem";
import type { Problem, RecordedPane } from "@/bridge/types";
import { clock, span } from "@/lib/time";
import { useApp, useAppState } from "@/store/context";
import type { AppState } from "@/store/state";
import { usePageTheme } from "@/ui/usepagetheme";
import { cx } from "@/ui/cx";
import { GlobeIcon, TerminalIcon } from "@/ui/icons";
import type { PauseInterval } from "./timeline";
import type { Player } from "./player";
import { PageScreen, TerminalScreen } from "./screens";
import { RecordLoader, type RecordedItem } from "./recordloader";

interface StageProps {
  goal: string;
  before: ReactNode;
  panes: readonly RecordedPane[];
  pane: RecordedPane;
  player: Player;
  ms: number;
  gap: PauseInterval | undefined;
  /** The pane in which the agent works is shown. */
  following: boolean;
  live: boolean;
  /** `""` follows the agent. */
  onPane: (pane: string) => void;
}

/** One recorded pane at the player's moment, with the other panes as tabs above it. */
export function ReplayViewport(p: StageProps) {
  const [shot, setShot] = useState<RecordedItem | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | null>(null);
  const page = p.pane.kind === "browser";
  return (
    <>
      <Tabs {...p} />
      <div className="relative min-h-0 flex-1 overflow-hidden bg-bg p-3 max-[900px]:h-48 max-[900px]:flex-none">
        {page ? (
          <Page {...p} onShown={setShot} onProblem={setProblem} />
        ) : (
          <Grid {...p} shot={shot} onShown={setShot} onProblem={setProblem} />
        )}
        {p.ms < p.pane.from_ms ? (
          <p
            data-testid="replay-early"
            className="absolute inset-0 flex items-center justify-center bg-bg text-text-faint"
          >
            Opens at {clock(p.pane.from_ms)}
          </p>
        ) : null}
        {p.gap ? (
          <p
            data-testid="replay-paused"
            className={cx(
              "absolute inset-x-3 bottom-3 rounded-md border border-border-strong bg-surface-raised",
              "px-3 py-2 text-xs text-text-muted shadow-pop",
            )}
          >
            <span className="font-medium text-warn">Paused for {span(p.gap.to - p.gap.from)}.</span>{" "}
            {page ? "Its pages were not recorded." : "The agent did nothing."}
            {p.gap.note ? <span className="text-text-faint"> Resumed with: “{p.gap.note}”</span> : null}
          </p>
        ) : null}
        {problem ? (
          <p role="alert" className="absolute inset-x-3 top-3 rounded-md bg-bad-bg px-3 py-2 text-xs text-bad">
            {problem.message}
          </p>
        ) : null}
      </div>
    </>
  );
}

function Tabs({ before, panes, pane, following, onPane }: StageProps) {
  const open = useAppState((s) => s.panes.panes);
  return (
    <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-border px-4 py-1 text-xs">
      {before}
      <div role="group" aria-label="Recorded panes" className="flex min-w-0 grow flex-wrap gap-1">
        {panes.map((r) => {
          const Icon = r.kind === "browser" ? GlobeIcon : TerminalIcon;
          const title = open.find((o) => o.id === r.pane)?.title;
          const on = r.pane === pane.pane;
          return (
            <button
              key={r.pane}
              type="button"
              aria-pressed={on}
              data-testid="replay-pane"
              data-pane={r.pane}
              data-kind={r.kind}
              onClick={() => onPane(r.pane)}
              className={
                "flex h-6 max-w-48 shrink-0 items-center gap-1.5 rounded-md px-2 " +
                (on ? "bg-surface-hover text-text" : "text-text-muted hover:bg-surface-raised")
              }
            >
              <Icon size={13} className="shrink-0" />
              <span className="truncate">{title || (r.kind === "browser" ? "page" : "terminal")}</span>
              <span className="text-text-faint">{r.pane}</span>
            </button>
          );
        })}
      </div>
      {panes.length > 1 ? (
        <label className="flex shrink-0 cursor-pointer items-center gap-1.5 text-text-muted">
          <input
            type="checkbox"
            data-testid="replay-follow"
            className="accent-(--accent)"
            checked={following}
            onChange={() => onPane(following ? pane.pane : "")}
          />
          Follow the agent
        </label>
      ) : null}
    </div>
  );
}

interface ScreenProps extends StageProps {
  onShown: (shot: RecordedItem | undefined) => void;
  onProblem: (problem: Problem | null) => void;
}

function useRecordLoader({ goal, pane, live }: StageProps): RecordLoader {
  const app = useApp();
  const loader = useMemo(
    () =>
      new RecordLoader({
        at: (ms) => app.bridge.call("GoalAPI.ReplayAt", goal, pane.pane, Math.round(ms)),
        after: (n) => app.bridge.call("GoalAPI.Replay", goal, pane.pane, n),
      }),
    [app, goal, pane.pane],
  );
  useEffect(() => {
    if (live) loader.grown();
  }, [loader, live, pane.records]);
  return loader;
}

function Page(p: ScreenProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const loader = useRecordLoader(p);
  const { player, onShown, onProblem } = p;
  useEffect(() => {
    const el = canvas.current;
    if (!el) return;
    const screen = new PageScreen(loader, el, {
      shown: (shot) => {
        onShown(shot);
        onProblem(null);
      },
      problem: (reason) => onProblem(asProblem(reason)),
    });
    player.use(screen);
    return () => {
      player.use(null);
      screen.close();
    };
  }, [loader, player, onShown, onProblem]);
  return (
    <div className="flex h-full items-center justify-center">
      <canvas
        ref={canvas}
        width={0}
        height={0}
        role="img"
        aria-label={`What the page ${p.pane.pane} showed at ${clock(p.ms)}`}
        data-testid="replay-canvas"
        className="max-h-full max-w-full rounded-sm"
      />
    </div>
  );
}

/** The color scheme of terminals without a profile; null for the colors of the theme. */
const schemeOf = (s: AppState) => s.colorSchemes.find((c) => c.name === s.settings?.color_scheme) ?? null;

function Grid(p: ScreenProps & { shot: RecordedItem | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const screen = useRef<TerminalScreen | null>(null);
  const app = useApp();
  const theme = usePageTheme();
  const colors = useAppState(schemeOf);
  const loader = useRecordLoader(p);
  const { player, onShown, onProblem } = p;
  const width = p.shot?.width ?? 0;
  const height = p.shot?.height ?? 0;

  useEffect(() => {
    const el = host.current;
    if (!el) return;
    const { font_family: fontFamily = "", screen_reader: screenReader = false } = app.state.settings ?? {};
    const s = new TerminalScreen(
      loader,
      el,
      { fontFamily, screenReader, colors: schemeOf(app.state) },
      {
        shown: (shot) => {
          onShown(shot);
          onProblem(null);
        },
        problem: (reason) => onProblem(asProblem(reason)),
      },
    );
    screen.current = s;
    player.use(s);
    return () => {
      player.use(null);
      screen.current = null;
      s.close();
    };
  }, [app, loader, player, onShown, onProblem]);

  useEffect(() => {
    const frame = requestAnimationFrame(() => screen.current?.recolor(colors));
    return () => cancelAnimationFrame(frame);
  }, [theme, colors]);

  // The grid keeps its columns; a grid that is too large is scaled down.
  useEffect(() => {
    const area = place.current;
    const el = host.current;
    if (!area || !el) return;
    const fit = () => {
      const grid = el.querySelector<HTMLElement>(".xterm-screen");
      if (!grid?.offsetWidth) return;
      const scale = Math.min(1, area.clientWidth / grid.offsetWidth, area.clientHeight / grid.offsetHeight);
      el.style.transform = `scale(${scale})`;
      el.style.width = `${grid.offsetWidth}px`;
    };
    fit();
    const watch = new ResizeObserver(fit);
    watch.observe(area);
    return () => watch.disconnect();
  }, [width, height]);

  return (
    <div
      className="h-full rounded-md bg-surface p-2"
      style={{ backgroundColor: colors?.background }}
      data-testid="replay-terminal"
    >
      <div ref={place} className="h-full overflow-hidden">
        <div ref={host} className="origin-top-left" role="img" aria-label={`What the terminal ${p.pane.pane} showed`} />
      </div>
    </div>
  );
}
