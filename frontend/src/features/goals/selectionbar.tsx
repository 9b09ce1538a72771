import { useApp, useAppState } from "@/store/context";
import { asksUser, canPause, canResume, isLive, questionIn } from "@/store/goalcards";
import { Button, IconButton } from "@/ui/button";
import { CloseIcon } from "@/ui/icons";
import { isAtLimit, raiseLimits } from "./resume/raiselimits";

/** Actions on the selected goals; each button counts the goals that it applies to. */
export function SelectionBar() {
  const app = useApp();
  const marked = useAppState((s) => s.marked);
  const byId = useAppState((s) => s.goals.byId);
  const cards = marked.flatMap((id) => byId[id]?.card ?? []);
  if (cards.length === 0) return null;
  const pausable = cards.filter(canPause);
  const resumable = cards.filter((c) => canResume(c) && !asksUser(c) && questionIn(c) === "");
  const live = cards.filter(isLive);
  const ended = cards.filter((c) => c.status !== "running");
  const limited = cards.filter(isAtLimit);
  const clear = () => app.set({ marked: [] });
  return (
    <div
      role="group"
      aria-label="Selected goals"
      data-testid="selection-bar"
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-t border-border bg-surface-raised px-3 py-2 text-xs"
    >
      <span className="min-w-0 flex-1 font-medium" role="status">
        {cards.length} selected
      </span>
      <IconButton label="Clear selection" data-testid="selection-clear" onClick={clear}>
        <CloseIcon size={14} />
      </IconButton>
      <div className="flex basis-full flex-wrap gap-1.5">
        <Button
          data-testid="selection-pause"
          disabled={pausable.length === 0}
          onClick={() => void app.goals.pauseAll(pausable)}
        >
          Pause {pausable.length || ""}
        </Button>
        <Button
          data-testid="selection-resume"
          disabled={resumable.length === 0}
          onClick={() => void app.goals.resumeAll(resumable)}
        >
          Resume {resumable.length || ""}
        </Button>
        <Button
          data-testid="selection-raise"
          disabled={limited.length === 0}
          onClick={() => void raiseLimits(app, limited)}
        >
          Raise limits{limited.length > 0 ? ` ${limited.length}` : ""}…
        </Button>
        <Button data-testid="selection-abort" disabled={live.length === 0} onClick={() => app.goals.abortAll(live)}>
          Abort{live.length > 0 ? ` ${live.length}` : ""}…
        </Button>
        <Button
          look="danger"
          data-testid="selection-delete"
          disabled={ended.length === 0}
          onClick={() => app.goals.deleteAll(ended)}
        >
          Delete{ended.length > 0 ? ` ${ended.length}` : ""}…
        </Button>
      </div>
    </div>
  );
}
