import { useEffect, useRef, useState } from "react";
import { toast } from "sonner";
import { plannedCall } from "@/agent/callwords";
import { oneLine, stripControl } from "@/lib/text";
import type { AppState } from "@/store/state";
import { useApp, useAppState } from "@/store/context";
import { isDrawerOpen } from "@/store/workspaces";

/** Returns the goal that is on the screen, with the card of its requests; "" for none. */
export function shownGoal(s: AppState): string {
  return s.route === "goals" || (s.route === "workspace" && isDrawerOpen(s)) ? s.detail.id : "";
}

/** Reports whether the card with the goal's requests is on the screen. */
export function showsGoal(s: AppState, goal: string): boolean {
  return s.approvalsOpen || shownGoal(s) === goal;
}

/** Shows a short message for each new request of a goal that is not on the screen. */
export function NeedsYouToasts() {
  const app = useApp();
  const approvals = useAppState((s) => s.approvals);
  const seen = useRef<ReadonlySet<string>>(new Set());
  // Requests from before the page was opened are in the counter and need no message.
  const [began] = useState(() => Date.now());
  useEffect(() => {
    const open = approvals.filter((a) => a.given === "");
    const key = (a: (typeof open)[number]) => `${a.goal_id} ${a.request}`;
    for (const a of open) {
      if (seen.current.has(key(a)) || Date.parse(a.at) < began || showsGoal(app.state, a.goal_id)) continue;
      toast.warning(`Needs you: ${plannedCall(a)}`, {
        id: key(a),
        description: stripControl(oneLine(a.objective)),
        duration: 12_000,
        action: { label: "Show", onClick: () => app.openGoal(a.goal_id) },
      });
    }
    for (const gone of seen.current) if (!open.some((a) => key(a) === gone)) toast.dismiss(gone);
    seen.current = new Set(open.map(key));
  }, [app, approvals, began]);
  return null;
}
