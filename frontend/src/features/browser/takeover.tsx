import type { PaneInfo } from "@/bridge/types";
import { useApp } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";

/** Who drives a goal's pane, and the button to change it. While the goal does not run, nobody drives it. */
export function TakeoverBar({ pane }: { pane: PaneInfo }) {
  const app = useApp();
  if (!pane.goal_id || !pane.driver) return null;
  const agent = pane.driver === "agent";
  return (
    <div className="ml-1 flex min-w-0 items-center gap-1.5" data-testid="driver" data-driver={pane.driver}>
      {/* In a narrow pane the address needs the space; the button says as much. */}
      <span className="flex min-w-0 @max-[600px]:hidden">
        <Badge tone={agent ? "agent" : "warn"} live={agent}>
          <span className="truncate">{agent ? "Agent is using this pane" : "You have control"}</span>
        </Badge>
      </span>
      {agent ? (
        <Button data-testid="take-over" onClick={() => void app.ask("BrowserAPI.TakeOver", pane.id)}>
          Take over
        </Button>
      ) : (
        <Button look="primary" data-testid="hand-back" onClick={() => void app.ask("BrowserAPI.HandBack", pane.id)}>
          Hand back
        </Button>
      )}
    </div>
  );
}
