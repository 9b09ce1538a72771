import type { GrantView } from "@/bridge/types";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Dialog } from "@/ui/dialog";
import { Request } from "./request";
import { alike, together } from "./words";

/** What waits for the person, of every goal, oldest first; and what was allowed. */
export function ApprovalsDialog() {
  const app = useApp();
  const open = useAppState((s) => s.approvalsOpen);
  const list = useAppState((s) => s.approvals);
  const grants = useAppState((s) => s.grants);
  const waiting = list.filter((a) => a.given === "").length;
  const close = () => app.set({ approvalsOpen: false });
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Approvals"
      testid="approvals"
      className="w-[760px]"
      description="Calls that wait for you, with everything that they would do"
      aside={waiting > 0 ? <Badge tone="warn">{waiting} waiting</Badge> : null}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-t3">
            A goal that waits here asks no model. It goes on when its last request is answered.
          </span>
          <Button data-testid="approvals-close" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      {list.length === 0 ? (
        <p data-testid="approvals-empty" className="py-6 text-center text-sm text-t3">
          Nothing waits for you.
        </p>
      ) : (
        <ul className="flex flex-col gap-3">
          {list.map((a) => (
            <li key={`${a.goal_id} ${a.request}`}>
              <Request
                approval={a}
                others={alike(list, a)}
                onAnswer={(choice) =>
                  void app.answerApprovals(together(choice.all ? [a, ...alike(list, a)] : [a], choice))
                }
              />
            </li>
          ))}
        </ul>
      )}
      {grants.length > 0 ? <Grants grants={grants} /> : null}
    </Dialog>
  );
}

function Grants({ grants }: { grants: readonly GrantView[] }) {
  const app = useApp();
  const goals = useAppState((s) => s.goals.byId);
  return (
    <section className="mt-4 border-t border-line pt-3" data-testid="grants">
      <h3 className="caption mb-2">Allowed until the goal ends</h3>
      <ul className="flex flex-col gap-1.5">
        {grants.map((g) => (
          <li key={`${g.goal_id} ${g.request}`} className="flex items-center gap-3 text-xs" data-testid="grant">
            <span className="min-w-0 flex-1">
              {g.covers} <span className="text-t3">· {goals[g.goal_id]?.card.objective ?? g.goal_id.slice(-8)}</span>
            </span>
            <Button look="quiet" data-testid="grant-revoke" onClick={() => void app.revokeGrant(g.goal_id, g.request)}>
              Take back
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
