import type { GoalView } from "@/bridge/types";
import { useApp } from "@/store/context";
import type { App } from "@/store/app";
import { Button, Kbd } from "@/ui/button";
import { cx } from "@/ui/cx";
import { TextArea } from "@/ui/input";
import { useNoteForm } from "./resume/note";

interface ComposerProps {
  view: GoalView;
  place: "drawer" | "page";
  className?: string;
}

/** A field for a note to the agent, below the activity of a goal. */
export function Composer({ view, place, className }: ComposerProps) {
  const app = useApp();
  const note = useNoteForm((text) => app.goals.steer(view.id, text));
  const send = () => {
    if (note.text.trim()) note.run();
  };
  return (
    <div className={cx("shrink-0 border-t border-border pt-2 pb-2.5", className)}>
      <TextArea
        data-testid={`${place}-note`}
        aria-label="Note for the agent"
        rows={2}
        className="max-h-32 resize-y text-xs"
        placeholder={view.status === "paused" ? "Add a note, then resume…" : "Steer this goal…"}
        value={note.text}
        onChange={(e) => note.setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.code === "Enter" && (e.ctrlKey || e.metaKey)) send();
        }}
      />
      <div className="mt-1 flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate text-2xs text-text-faint">The agent reads it next turn</span>
        <Button data-testid={`${place}-send`} disabled={note.busy || !note.text.trim()} onClick={send}>
          Send <Kbd className="max-[640px]:hidden">Ctrl+Enter</Kbd>
        </Button>
      </div>
    </div>
  );
}

/** Puts the cursor into the composer on the screen, or asks for the note in a dialog if there is none. */
export function startNote(app: App): void {
  const place = app.state.route === "goals" ? "page" : "drawer";
  const field = document.querySelector<HTMLElement>(`[data-testid="${place}-note"]`);
  if (field) field.focus();
  else app.set({ steerOpen: true });
}
