import { useState } from "react";
import type { AnswerInput, GoalCard, GrantView } from "@/bridge/types";
import { capitalize, oneLine, stripControl } from "@/lib/text";
import { groupOf } from "@/store/goalcards";
import { summary } from "@/store/goals";
import { useApp, useAppState } from "@/store/context";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { Dialog } from "@/ui/dialog";
import { markdownText } from "@/ui/markdowntext";
import { ApprovalRequest } from "./request";
import { similarRequests, groupRequests } from "./grouping";

/** All waiting requests, oldest first, and the granted permissions. */
export function ApprovalsDialog() {
  const app = useApp();
  const open = useAppState((s) => s.approvalsOpen);
  const list = useAppState((s) => s.approvals);
  const grants = useAppState((s) => s.grants);
  const byId = useAppState((s) => s.goals.byId);
  const others = Object.values(byId)
    .map((g) => g.card)
    .filter((c) => groupOf(c) === "needs_you" && !list.some((a) => a.goal_id === c.id));
  const waiting = useAppState((s) => summary(s.goals.byId).by.needs_you.length);
  const [busy, setBusy] = useState(false);
  const answer = async (answers: AnswerInput[]) => {
    setBusy(true);
    try {
      await app.approvals.answer(answers);
    } finally {
      setBusy(false);
    }
  };
  const close = () => app.set({ approvalsOpen: false });
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Approvals"
      testid="approvals"
      help="guide/approvals"
      className="w-[760px]"
      description="Actions waiting for approval"
      aside={waiting > 0 ? <Badge tone="warn">{waiting === 1 ? "1 needs you" : `${waiting} need you`}</Badge> : null}
      footer={
        <>
          <span className="min-w-0 flex-1 text-xs text-text-faint">
            Paused goals use no tokens. A goal resumes once you have answered all its requests.
          </span>
          <Button data-testid="approvals-close" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      {list.length === 0 && others.length === 0 ? (
        <p data-testid="approvals-empty" className="py-6 text-center text-sm text-text-faint">
          Nothing is waiting for approval.
        </p>
      ) : null}
      {list.length > 0 ? (
        <ul className="flex flex-col gap-3">
          {list.map((a) => (
            <li key={`${a.goal_id} ${a.request}`}>
              <ApprovalRequest
                approval={a}
                others={similarRequests(list, a)}
                busy={busy}
                onAnswer={(choice) =>
                  void answer(groupRequests(choice.all ? [a, ...similarRequests(list, a)] : [a], choice))
                }
              />
            </li>
          ))}
        </ul>
      ) : null}
      {others.length > 0 ? <OtherGoals goals={others} /> : null}
      {grants.length > 0 ? <Grants grants={grants} /> : null}
    </Dialog>
  );
}

/**
 * Goals that wait for the user without a call: a question, a check that the user decides, a changed file.
 */
function OtherGoals({ goals }: { goals: readonly GoalCard[] }) {
  const app = useApp();
  return (
    <section
      className="mt-4 border-t border-border pt-3 first:mt-0 first:border-t-0 first:pt-0"
      data-testid="needs-word"
    >
      <Caption className="mb-2">Waiting for your reply</Caption>
      <ul className="flex flex-col gap-1.5">
        {goals.map((g) => (
          <li key={g.id} className="flex items-center gap-3 text-xs" data-testid="needs-word-goal" data-goal={g.id}>
            <span className="min-w-0 flex-1">
              <span className="block truncate">{stripControl(oneLine(g.objective))}</span>
              <span className="line-clamp-2 text-text-faint">{capitalize(markdownText(g.reason))}</span>
            </span>
            <Button
              look="quiet"
              data-testid="needs-word-open"
              onClick={() => {
                app.set({ approvalsOpen: false });
                app.openGoal(g.id);
              }}
            >
              Open
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Grants({ grants }: { grants: readonly GrantView[] }) {
  const app = useApp();
  const goals = useAppState((s) => s.goals.byId);
  return (
    <section className="mt-4 border-t border-border pt-3" data-testid="grants">
      <Caption className="mb-2">Allowed until the goal finishes</Caption>
      <ul className="flex flex-col gap-1.5">
        {grants.map((g) => (
          <li key={`${g.goal_id} ${g.request}`} className="flex items-center gap-3 text-xs" data-testid="grant">
            <span className="min-w-0 flex-1">
              {stripControl(g.covers)}{" "}
              <span className="text-text-faint">
                · {stripControl(goals[g.goal_id]?.card.objective ?? g.goal_id.slice(-8))}
              </span>
            </span>
            <Button look="quiet" data-testid="grant-revoke" onClick={() => app.approvals.revoke(g)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
