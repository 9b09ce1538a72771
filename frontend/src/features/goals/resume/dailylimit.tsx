import type { GoalView } from "@/bridge/types";
import { capitalize } from "@/lib/text";
import { useApp } from "@/store/context";
import { Button } from "@/ui/button";
import { PanelBox } from "./box";

/** A goal that waits because today's money is spent. It resumes automatically once the limit is raised. */
export function DailyLimitPanel({ view }: { view: GoalView }) {
  const app = useApp();
  const at = new Date(view.parked_until);
  const day = at.toLocaleDateString("en", { weekday: "long" });
  const time = at.toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  return (
    <PanelBox view={view} kind="daily_limit" title={capitalize(view.reason)}>
      <p className="mt-1 text-text-muted" data-testid="parked-left">
        The goal resumes automatically on {day} at {time}, or at once when the limit is raised.
      </p>
      <div className="mt-2 flex gap-2">
        <Button look="primary" data-testid="answer-raise-daily" onClick={() => app.openSettings("Daily limit")}>
          Raise limit…
        </Button>
        <Button look="quiet" data-testid="answer-abort" onClick={() => app.goals.abort(view.id)}>
          Abort
        </Button>
      </div>
    </PanelBox>
  );
}
