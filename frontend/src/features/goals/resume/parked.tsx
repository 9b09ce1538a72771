import type { GoalView } from "@/bridge/types";
import { clock } from "@/lib/time";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { useNow } from "@/ui/usenow";
import { PanelBox } from "./box";

export function ProviderWaitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const now = useNow(true);
  const left = Date.parse(view.parked_until) - now;
  return (
    <PanelBox view={view} kind="parked" title={view.reason}>
      <p className="mt-1 text-text-muted tabular-nums" data-testid="parked-left">
        {left > 0
          ? `The goal resumes automatically in ${clock(left)}.`
          : "The goal resumes as soon as a process picks it up."}
      </p>
      <div className="mt-2 flex gap-2">
        <Button look="primary" data-testid="answer-resume" onClick={() => void app.goals.resume(view.id)}>
          Resume now
        </Button>
        <Button look="quiet" data-testid="answer-abort" onClick={() => app.goals.abort(view.id)}>
          Abort
        </Button>
      </div>
    </PanelBox>
  );
}
