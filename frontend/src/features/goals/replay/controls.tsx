import { count, money } from "@/lib/bytes";
import { clock } from "@/lib/time";
import type { UsagePoint } from "@/store/journal";
import { IconButton } from "@/ui/button";
import { PauseIcon, PlayIcon, StepBackIcon, StepOnIcon } from "@/ui/icons";
import type { Player, PlayerState } from "./player";

const speeds = [1, 2, 4, 8];

interface TransportProps {
  player: Player;
  now: PlayerState;
  length: number;
  spent: UsagePoint | undefined;
  onStep: (by: -1 | 1) => void;
  onSummary: () => void;
}

/** Play and pause, previous and next step, speed, and position. */
export function Transport({ player, now, length, spent, onStep, onSummary }: TransportProps) {
  return (
    <div className="flex flex-wrap items-center gap-x-1 gap-y-1 text-xs">
      <IconButton
        label="Previous step"
        hint="Shift+←"
        side="top"
        data-testid="replay-before"
        onClick={() => onStep(-1)}
      >
        <StepBackIcon />
      </IconButton>
      <IconButton
        label={now.playing ? "Pause" : "Play"}
        hint="Space"
        side="top"
        data-testid="replay-play"
        data-playing={now.playing}
        onClick={() => player.toggle()}
      >
        {now.playing ? <PauseIcon /> : <PlayIcon />}
      </IconButton>
      <IconButton label="Next step" hint="Shift+→" side="top" data-testid="replay-after" onClick={() => onStep(1)}>
        <StepOnIcon />
      </IconButton>
      <span className="ml-2 text-text-muted tabular-nums" data-testid="replay-time">
        {clock(now.ms)} <span className="text-text-faint">of {clock(length)}</span>
      </span>
      {spent && spent.tokens > 0 ? (
        <span className="ml-3 text-text-faint tabular-nums" data-testid="replay-spent">
          {spent.usd > 0 ? `${money(spent.usd)} · ` : ""}
          {count(spent.tokens)} tokens so far
        </span>
      ) : null}
      <span className="flex-1" />
      <label className="mr-2 flex cursor-pointer items-center gap-1.5 text-text-muted">
        <input
          type="checkbox"
          data-testid="replay-skips"
          className="accent-(--accent)"
          checked={now.skips}
          onChange={() => player.set({ skips: !now.skips })}
        />
        Skip idle time
      </label>
      <button
        type="button"
        aria-pressed={now.summary}
        data-testid="replay-summary"
        title="What each step led to, in ten seconds"
        className={
          "mr-2 h-6 rounded-md border border-border px-2 " +
          (now.summary ? "bg-surface-hover text-text" : "text-text-faint hover:text-text")
        }
        onClick={() => (now.summary ? player.pause() : onSummary())}
      >
        All in 10 s
      </button>
      <div role="group" aria-label="Speed" className="flex rounded-md border border-border">
        {speeds.map((s) => (
          <button
            key={s}
            type="button"
            aria-pressed={now.speed === s}
            data-testid={`replay-speed-${s}`}
            className={
              "h-6 min-w-8 px-1.5 first:rounded-l-md last:rounded-r-md " +
              (now.speed === s ? "bg-surface-hover text-text" : "text-text-faint hover:text-text")
            }
            onClick={() => player.set({ speed: s })}
          >
            {s}×
          </button>
        ))}
      </div>
    </div>
  );
}
