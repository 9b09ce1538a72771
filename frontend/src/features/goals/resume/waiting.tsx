import type { GoalView } from "@/bridge/types";
import { clock } from "@/lib/time";
import { capitalize } from "@/lib/text";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { useNow } from "@/ui/usenow";
import { PanelBox } from "./box";

/** A goal that waits for a condition, at which the host looks. */
export function ConditionWaitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const notes = useAppState((s) => s.detail.journal.notes);
  const left = Date.parse(view.parked_until) - useNow(true);
  const last = notes.findLast((n) => n.kind === "looked" || n.kind === "paused");
  return (
    <PanelBox view={view} kind="waiting" title={capitalize(view.reason)}>
      <p className="mt-1 text-text-muted tabular-nums" data-testid="waiting-left">
        {left > 0 ? `No model is asked. The wait ends in ${clock(left)} at the latest.` : "The wait is over."}
      </p>
      {last?.kind === "looked" ? (
        <p className="selectable mt-1 break-words text-text-muted" data-testid="waiting-look">
          {last.text}
        </p>
      ) : null}
      <div className="mt-2 flex gap-2">
        <Button look="primary" data-testid="answer-stop-waiting" onClick={() => void app.goals.resume(view.id)}>
          Stop waiting
        </Button>
        <Button look="quiet" data-testid="answer-abort" onClick={() => app.goals.abort(view.id)}>
          Abort
        </Button>
      </div>
    </PanelBox>
  );
}
