import type { TimelineEntry, StepRow } from "@/bridge/types";
import { clock, span } from "@/lib/time";
import { entryStyle } from "@/features/goals/timeline";
import type { PauseInterval } from "./timeline";

interface ScrubberProps {
  ms: number;
  length: number;
  steps: readonly StepRow[];
  marks: readonly TimelineEntry[];
  gaps: readonly PauseInterval[];
  /** Describes the current moment for screen readers. */
  says: string;
  onSeek: (ms: number) => void;
}

/** With more ticks than this, no ticks are drawn. */
const mostTicks = 400;

/**
 * The goal's time axis: steps as ticks, verdicts and comments of the critic as marks, hatched pauses, and a handle.
 */
export function Scrubber({ ms, length, steps, marks, gaps, says, onSeek }: ScrubberProps) {
  const at = (t: number) => `${Math.min(100, (t / length) * 100)}%`;
  const every = Math.ceil(steps.length / mostTicks);
  return (
    <div className="relative mx-1 h-8 max-[640px]:h-11">
      <div
        className="absolute inset-x-0 top-1/2 h-1 -translate-y-1/2 overflow-hidden rounded-full bg-surface-hover"
        aria-hidden
      >
        <div className="h-full bg-accent" style={{ width: at(ms) }} />
      </div>
      <div className="absolute inset-x-0 inset-y-0" aria-hidden>
        {gaps.map((g) => (
          <span
            key={g.from}
            className="hatched absolute top-2 bottom-2 rounded-sm"
            data-testid="replay-gap"
            title={`paused, ${span(g.to - g.from)}`}
            style={{ left: at(g.from), width: at(g.to - g.from) }}
          />
        ))}
        {steps
          .filter((_, i) => i % every === 0)
          .map((s) => (
            <span
              key={s.n}
              className={
                "absolute top-[20px] w-px " +
                (s.outcome === "failed" || s.outcome === "denied" ? "h-2 bg-warn" : "h-1.5 bg-text-faint")
              }
              style={{ left: at(s.at_ms) }}
            />
          ))}
        {marks.map((m, i) => {
          const look = entryStyle(m.what);
          return (
            <span
              key={i}
              title={`${clock(m.at_ms)} ${m.what}`}
              className={`absolute top-[5px] size-[7px] -translate-x-1/2 ${look.round ? "rounded-full" : "rotate-45"}`}
              style={{ left: at(m.at_ms), background: look.color }}
            />
          );
        })}
      </div>
      <input
        type="range"
        data-testid="replay-scrubber"
        aria-label="Moment"
        aria-valuetext={`${clock(ms)} of ${clock(length)}${says ? `, ${says}` : ""}`}
        min={0}
        max={length}
        step={Math.max(1, Math.round(length / 1_000))}
        value={ms}
        onChange={(e) => onSeek(Number(e.target.value))}
        className="scrubber absolute inset-x-0 top-0 h-8 w-full max-[640px]:h-11"
      />
    </div>
  );
}
