import { riskLabel } from "@/lib/risk";
import { useState } from "react";
import type { ApprovalView, Scope } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { Badge } from "@/ui/badge";
import { DiffText } from "@/ui/diff";
import { Button } from "@/ui/button";
import { Arguments } from "@/agent/arguments";
import { scopeLabel, type ApprovalChoice } from "./grouping";
import { Input } from "@/ui/input";
import { plannedCall } from "@/agent/callwords";

interface RequestProps {
  approval: ApprovalView;
  /** Other waiting requests of the same kind. */
  others: readonly ApprovalView[];
  /** An answer is being sent: the buttons are disabled until the list is current again. */
  busy: boolean;
  onAnswer: (choice: ApprovalChoice) => void;
}

/** One waiting call: the goal, all arguments, its effect, why it asks, and what each answer covers. */
export function ApprovalRequest({ approval: a, others, busy, onAnswer }: RequestProps) {
  const [scope, setScope] = useState<Scope>("once");
  const [why, setWhy] = useState("");
  const [all, setAll] = useState(false);
  const offers = a.offers ?? [];
  // The second click of a fast pair was meant for the request that was here before.
  const answer = (clicks: number, choice: ApprovalChoice) => {
    if (clicks < 2) onAnswer(choice);
  };
  const chosen = offers.find((o) => o.scope === scope) ?? offers[0];
  return (
    <article
      data-testid="approval"
      data-request={a.request}
      data-goal={a.goal_id}
      className="rounded-md border border-border bg-surface p-3"
    >
      <header className="mb-2 flex items-baseline gap-2">
        <span className="text-sm font-semibold">{plannedCall(a)}</span>
        <Badge tone={a.always ? "bad" : "warn"}>{a.always ? "always needs approval" : riskLabel(a.risk)}</Badge>
        <span className="min-w-0 flex-1 truncate text-right text-xs text-text-faint" title={a.objective}>
          {stripControl(a.objective)}
        </span>
      </header>
      <Arguments raw={a.arguments} />
      {a.show ? <DiffText text={a.show} testid="approval-show" className="mb-2 max-h-48" /> : null}
      <p className="mb-2 text-xs" data-testid="approval-why">
        <span className="text-text-faint">Reason: </span>
        {stripControl(a.why)}
      </p>
      {a.given !== "" ? (
        <p data-testid="approval-given" className="text-xs text-text-muted">
          {a.given === "approve" ? "Allowed" : "Denied"}. Resume the goal to continue.
        </p>
      ) : (
        <>
          <Scopes approval={a} chosen={chosen?.scope} onChoose={setScope} />
          <div className="flex flex-wrap items-center gap-2">
            <Button
              look="primary"
              data-testid="approval-allow"
              disabled={busy}
              onClick={(e) => answer(e.detail, { allow: true, scope: chosen?.scope ?? "once", why: "", all })}
            >
              Allow
            </Button>
            <Button
              look="danger"
              data-testid="approval-deny"
              disabled={busy}
              onClick={(e) => answer(e.detail, { allow: false, scope: "once", why: why.trim(), all })}
            >
              Deny
            </Button>
            <Input
              className="h-7 min-w-40 flex-1"
              data-testid="approval-reason"
              aria-label="Reason (sent to the agent)"
              placeholder="Reason (sent to the agent)"
              value={why}
              onChange={(e) => setWhy(e.target.value)}
            />
            {others.length > 0 ? (
              <label className="flex items-center gap-1.5 text-xs">
                <input type="checkbox" data-testid="approval-all" checked={all} onChange={() => setAll(!all)} />
                and {others.length} similar
              </label>
            ) : null}
          </div>
          {all && others.length > 0 ? <Others approval={a} others={others} scope={chosen?.scope ?? "once"} /> : null}
        </>
      )}
    </article>
  );
}

interface ScopesProps {
  approval: ApprovalView;
  chosen: Scope | undefined;
  onChoose: (scope: Scope) => void;
}

function Scopes({ approval: a, chosen, onChoose }: ScopesProps) {
  return (
    <fieldset className="mb-2 flex flex-col gap-1 text-xs">
      <legend className="sr-only">Approval scope</legend>
      {(a.offers ?? []).map((o) => (
        <label key={o.scope} className="flex items-start gap-2">
          <input
            type="radio"
            className="mt-0.5"
            name={`${a.goal_id} ${a.request}`}
            data-testid="approval-scope"
            data-scope={o.scope}
            checked={o.scope === chosen}
            onChange={() => onChoose(o.scope)}
          />
          <span>Allow {stripControl(o.covers)}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface OthersProps {
  approval: ApprovalView;
  others: readonly ApprovalView[];
  scope: Scope;
}

/** Similar requests, which get the same answer. */
function Others({ approval: a, others, scope }: OthersProps) {
  return (
    <ul
      className="mt-2 flex flex-col gap-1.5 border-l-2 border-border-strong pl-3 text-xs"
      aria-label="Apply to similar requests"
      data-testid="approval-others"
    >
      {others.map((o) => (
        <li key={`${o.goal_id} ${o.request}`} className="break-words">
          <p className="font-medium">{stripControl(o.objective)}</p>
          <p className="text-text-muted">{plannedCall(o)}</p>
          <Arguments raw={o.arguments} className="mt-0.5 mb-0 max-h-32 overflow-auto" />
          <p className="text-text-faint">
            Allow {stripControl(scopeLabel(o, scope) || "once")}
            {o.why === a.why ? null : ` · ${stripControl(o.why)}`}
          </p>
        </li>
      ))}
    </ul>
  );
}
