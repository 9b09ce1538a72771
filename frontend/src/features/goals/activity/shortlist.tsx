import { useEffect, useMemo, useRef, useState } from "react";
import type { StepRow } from "@/bridge/types";
import { plural } from "@/lib/text";
import { useAppState } from "@/store/context";
import type { ClaimFact } from "@/store/journal";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { Dot } from "@/ui/badge";
import { SparkIcon } from "@/ui/icons";
import { AgentText } from "@/agent/text";
import { logLines, noFilter, type LogLine } from "@/features/goals/stepfilter";
import { CallIcon } from "@/agent/callicon";
import { CallEnd, CallText, FailureLines, callResult } from "./callline";
import { useFollowedEnd } from "./followedend";
import { LiveWords } from "./livewords";
import { NoteLine } from "./noteline";

const shown = 60;
const nearEnd = 24;

/** The end of a goal's activity for narrow places, newest at the bottom. It follows until the user scrolls up. */
export function ActivityShort({ running, onStep }: { running: boolean; onStep: (n: number) => void }) {
  const steps = useAppState((s) => s.detail.steps);
  const journal = useAppState((s) => s.detail.journal);
  const streamed = useAppState((s) => s.streamed[s.detail.id]);
  const lines = useMemo(() => logLines(steps.slice(-shown), journal, noFilter).slice(-shown), [steps, journal]);
  const scroller = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<number | null>(null);
  const follow = seen === null;
  useEffect(() => {
    const el = scroller.current;
    if (follow && el) el.scrollTop = el.scrollHeight;
  }, [follow, lines, streamed]);
  useFollowedEnd(scroller, follow);
  const total = steps.length + journal.notes.length;
  const fresh = seen === null ? 0 : total - seen;
  return (
    <section
      className={
        "relative flex min-h-0 flex-1 flex-col border-t border-border " +
        "[@media(max-height:760px)]:min-h-44 [@media(max-height:760px)]:shrink-0"
      }
      aria-label="Activity"
    >
      <div className="flex shrink-0 items-baseline justify-between px-4 pt-2.5 pb-1">
        <Caption>Activity</Caption>
        {running ? (
          <span className="flex items-center gap-1.5 text-2xs text-text-faint">
            <Dot tone="ok" live /> live
          </span>
        ) : null}
      </div>
      <div
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-label="Activity"
        data-testid="drawer-activity"
        data-follow={follow}
        className="min-h-0 flex-1 overflow-y-auto px-4 pb-3"
        onScroll={(e) => {
          const el = e.currentTarget;
          const atEnd = el.scrollHeight - el.scrollTop - el.clientHeight < nearEnd;
          setSeen((was) => (atEnd ? null : (was ?? total)));
        }}
      >
        {lines.length === 0 && !streamed ? <p className="py-1 text-xs text-text-faint">Nothing happened yet.</p> : null}
        {lines.map((line) => (
          <ShortLine key={line.key} line={line} onStep={onStep} />
        ))}
        <LiveWords className="flex gap-2.5 py-1.5 text-xs" testid="drawer-live" />
      </div>
      {fresh > 0 ? (
        <Button
          className="absolute bottom-2 left-1/2 -translate-x-1/2 rounded-full shadow-pop"
          data-testid="drawer-newest"
          onClick={() => setSeen(null)}
        >
          {plural(fresh, "new", "new")} ↓
        </Button>
      ) : null}
    </section>
  );
}

function ShortLine({ line, onStep }: { line: LogLine; onStep: (n: number) => void }) {
  if (line.kind === "step") return <ShortStep step={line.step} claim={line.claim} plan={line.plan} onStep={onStep} />;
  if (line.note.kind !== "message") return <NoteLine note={line.note} short />;
  if (!line.note.text) return null;
  return (
    <div className="flex gap-2.5 py-1.5 text-xs" data-testid="drawer-said">
      <SparkIcon size={14} className="mt-0.5 shrink-0 text-agent" />
      <AgentText text={line.note.text} className="min-w-0 flex-1 text-text-muted" />
    </div>
  );
}

interface ShortStepProps {
  step: StepRow;
  claim: ClaimFact | null;
  plan: string;
  onStep: (n: number) => void;
}

function ShortStep({ step, claim, plan, onStep }: ShortStepProps) {
  const result = callResult(step, claim);
  const failure = useAppState((s) => s.detail.journal.failures[step.n]);
  return (
    <div data-testid="drawer-step" data-outcome={step.outcome} className="text-xs">
      <button
        type="button"
        className="flex w-full items-baseline gap-2.5 rounded-sm py-[3px] text-left hover:bg-surface-hover"
        onClick={() => onStep(step.n)}
      >
        <span className="self-center">
          <CallIcon step={step} tone={result.tone} />
        </span>
        <span className="min-w-0 flex-1 truncate">
          <CallText step={step} claim={claim} plan={plan} tone={result.tone} />
        </span>
        <span className="shrink-0 tabular-nums">
          <CallEnd step={step} claim={claim} result={result} />
        </span>
      </button>
      {failure && failure.length > 0 && !claim ? (
        <div className="pb-1 pl-6">
          <FailureLines lines={failure} />
        </div>
      ) : null}
    </div>
  );
}
