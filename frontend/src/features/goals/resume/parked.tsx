import type { GoalView } from "@/bridge/types";
import { clock, timeOfDay } from "@/lib/time";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { useNow } from "@/ui/usenow";
import { PanelBox } from "./box";
import { ChooseModel } from "./choosemodel";

/** A goal that waits for its model: since when, until when, and why. */
export function ProviderWaitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const left = Date.parse(view.parked_until) - useNow(true);
  const next = left > 0 ? `next try in ${clock(left)}` : "the next try is due";
  const since = view.parked_since ? ` since ${timeOfDay(view.parked_since)}` : "";
  return (
    <PanelBox view={view} kind="parked" title={`Waiting for the model${since} · ${next}`}>
      <p className="selectable mt-1 break-words text-text-muted" data-testid="parked-why">
        {view.reason.replace(/^(?:Waiting for the model|the model): /, "")}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button look="primary" data-testid="answer-resume" onClick={() => void app.goals.resume(view.id)}>
          Try now
        </Button>
        <ChooseModel view={view} />
        <Button look="quiet" data-testid="answer-abort" onClick={() => app.goals.abort(view.id)}>
          Abort
        </Button>
      </div>
    </PanelBox>
  );
}
