import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore, type ReactNode } from "react";
import type { GoalView, StepRow } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import {
  pauseAt,
  pauseIntervals,
  lengthOf,
  adjacentSteps,
  spentAt,
  stepAt,
  summaryMoments,
  panesUsed,
} from "./timeline";
import { usePlayerKeys } from "./keys";
import { isFrames, Player } from "./player";
import { Scrubber } from "./scrubber";
import { ReplayViewport } from "./viewport";
import { Transport } from "./controls";
import { CallText } from "@/features/goals/activity/callline";
import { callSentence } from "@/agent/callwords";
import { stepLabel } from "@/features/goals/labels";
import { toneText } from "@/ui/badge";
import { useRecording } from "./recording";

interface ReplayProps {
  view: GoalView;
  /** The moment to start at, in ms since the goal's start. */
  at: number;
  /** Elements before the panes. */
  before: ReactNode;
  /** Shows a step in the log. */
  onStep: (n: number) => void;
}

/** The recorded panes of a goal with one clock, its steps, its verdicts and its spending. */
export default function Replay(p: ReplayProps) {
  const recording = useRecording(p.view);
  if (recording.panes?.length && !recording.problem) return <ReplayPlayer {...p} panes={recording.panes} />;
  return (
    <>
      <div className="flex h-9 shrink-0 items-center border-b border-border px-4 text-xs">{p.before}</div>
      <EmptyReplay {...recording} />
    </>
  );
}

function EmptyReplay(recording: ReturnType<typeof useRecording>) {
  if (recording.problem) {
    return (
      <div role="alert" className="flex flex-1 flex-col items-center justify-center gap-3 text-text-muted">
        <p>{recording.problem.message}</p>
        <Button onClick={recording.again}>Try again</Button>
      </div>
    );
  }
  if (!recording.panes) return <div className="flex-1" aria-busy />;
  return (
    <div
      data-testid="replay-empty"
      className="flex flex-1 flex-col items-center justify-center gap-1.5 text-text-faint"
    >
      <p className="text-text-muted">Nothing was recorded.</p>
      <p className="max-w-sm text-center text-xs">
        Goalpost records the terminals and pages that a goal opens. This goal has not opened any yet.
      </p>
    </div>
  );
}

type Panes = NonNullable<ReturnType<typeof useRecording>["panes"]>;

function ReplayPlayer({ view, at, before, onStep, panes }: ReplayProps & { panes: Panes }) {
  const steps = useAppState((s) => s.detail.steps);
  const journal = useAppState((s) => s.detail.journal);
  const length = lengthOf(panes, steps, view, journal);
  const marks = view.marks ?? [];
  const pauses = useMemo(
    () => pauseIntervals(journal.notes, view.started_at, length),
    [journal.notes, view.started_at, length],
  );
  const happens = useCallback((ms: number) => adjacentSteps(steps, ms).after, [steps]);
  const [player] = useState(() => new Player(isFrames, length, happens));
  const now = useSyncExternalStore(player.subscribe, player.read);
  const [chosen, setChosen] = useState("");

  useEffect(() => player.setLength(length, happens), [player, length, happens]);
  useEffect(() => player.seek(at), [player, at]);
  useEffect(() => () => player.close(), [player]);

  const onSummary = useCallback(() => player.playSummary(summaryMoments(steps, length)), [player, steps, length]);
  useRequestedSummary(view.id, onSummary);

  const toStep = useCallback(
    (by: -1 | 1) => {
      const next = adjacentSteps(steps, player.state.ms);
      const ms = by < 0 ? next.before : next.after;
      if (ms !== null) player.seek(ms);
    },
    [player, steps],
  );
  const place = useRef<HTMLElement>(null);
  const isExport = useAppState((s) => s.isExport);
  usePlayerKeys(player, toStep, length, isExport ? place : null);

  const step = stepAt(steps, now.ms);
  // Unless the user chooses a pane, the replay follows the agent.
  const pane = panes.find((p) => p.pane === chosen) ?? panesUsed(panes, steps, now.ms);
  const said = step ? `step ${step.n}: ${callSentence(step)}` : "";
  if (!pane) return null;
  return (
    <section
      ref={place}
      tabIndex={isExport ? 0 : undefined}
      aria-label="Replay"
      data-testid="replay"
      data-ms={Math.round(now.ms)}
      className="flex min-h-0 flex-1 flex-col"
      // After a click the focus leaves the button, so that space plays. With the keyboard the button keeps it.
      onMouseDown={(e) => !isExport && (e.target as Element).closest("button,label") && e.preventDefault()}
    >
      <ReplayViewport
        key={pane.pane}
        goal={view.id}
        before={before}
        panes={panes}
        pane={pane}
        player={player}
        ms={now.ms}
        gap={pauseAt(pauses, now.ms)}
        following={chosen === ""}
        onPane={setChosen}
        live={view.status === "running"}
      />
      <div className="shrink-0 border-t border-border px-4 pt-1.5 pb-2.5">
        <CurrentStep step={step} onStep={onStep} />
        <Scrubber
          ms={now.ms}
          length={length}
          steps={steps}
          marks={marks}
          gaps={pauses}
          says={said}
          onSeek={(ms) => player.seek(ms)}
        />
        <Transport
          player={player}
          now={now}
          length={length}
          spent={spentAt(journal.usage, view.started_at, now.ms)}
          onStep={toStep}
          onSummary={onSummary}
        />
      </div>
    </section>
  );
}

/** Plays the summary that the user asked for on the done screen. */
function useRequestedSummary(goal: string, play: () => void) {
  const app = useApp();
  const asked = useAppState((s) => s.summaryOf === goal);
  useEffect(() => {
    if (!asked) return;
    app.set({ summaryOf: "" });
    play();
  }, [app, asked, play]);
}

function CurrentStep({ step, onStep }: { step: StepRow | null | undefined; onStep: (n: number) => void }) {
  return (
    <div className="flex h-6 items-baseline gap-3 text-xs" data-testid="replay-step" data-n={step?.n ?? 0}>
      {step ? (
        <>
          <span className="shrink-0 text-text-faint tabular-nums">{step.n}</span>
          <span className="min-w-0 flex-1 truncate">
            <CallText step={step} tone="calm" />
          </span>
          <span className={`shrink-0 font-medium ${toneText[stepLabel(step.outcome).tone]}`}>
            {stepLabel(step.outcome).words}
          </span>
          <Button look="quiet" className="h-5 px-1.5" data-testid="replay-to-log" onClick={() => onStep(step.n)}>
            Show in activity
          </Button>
        </>
      ) : (
        <span className="text-text-faint">before the first step</span>
      )}
    </div>
  );
}
