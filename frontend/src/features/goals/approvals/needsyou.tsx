import { useRef, useState, type KeyboardEvent } from "react";
import type { AnswerInput, ApprovalView, Scope } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { clock } from "@/lib/time";
import { useApp, useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { cx } from "@/ui/cx";
import { DiffText } from "@/ui/diff";
import { Input } from "@/ui/input";
import { useNow } from "@/ui/usenow";
import { Arguments } from "@/agent/arguments";
import { Key, halfTouch, pressDigit, touch, useFocusOnDemand, useGuard } from "@/agent/cardparts";
import { plannedCall } from "@/agent/callwords";
import { goalOffer, goalOfferLabel } from "./words";

/** The calls of a goal that wait for the user, the oldest with its buttons. Renders nothing if none waits. */
export function NeedsYou({ goal, className }: { goal: string; className?: string }) {
  const approvals = useAppState((s) => s.approvals);
  const list = approvals.filter((a) => a.goal_id === goal && a.given === "");
  const first = list[0];
  if (!first) return null;
  return (
    <section
      data-testid="asks"
      data-request={first.request}
      aria-label="Needs you"
      className={cx("rounded-md border border-warn bg-warn-bg px-3 py-2.5 text-xs", className)}
    >
      <WaitingRequest key={first.request} approval={first} count={list.length} />
    </section>
  );
}

interface WaitingRequestProps {
  approval: ApprovalView;
  /** Number of waiting requests of the goal, including this one. */
  count: number;
}

function WaitingRequest({ approval: a, count }: WaitingRequestProps) {
  const app = useApp();
  const card = useRef<HTMLDivElement>(null);
  useFocusOnDemand(card, a.request);
  const [busy, setBusy] = useState(false);
  const guarded = useGuard();
  const [denying, setDenying] = useState(false);
  const [why, setWhy] = useState("");
  const now = useNow(true);
  const answer = async (part: Pick<AnswerInput, "allow" | "scope" | "why">) => {
    if (busy || guarded) return;
    setBusy(true);
    await app.approvals.answer([{ goal_id: a.goal_id, request: a.request, ...part }]);
    setBusy(false);
  };
  const allow = (scope: Scope) => void answer({ allow: true, scope, why: "" });
  const deny = () => void answer({ allow: false, scope: "once", why: why.trim() });
  const off = busy || guarded;
  const wide = goalOffer(a);
  const once = (a.offers ?? []).some((o) => o.scope === "once");
  const waited = Math.max(0, now - Date.parse(a.at));
  const press = (e: KeyboardEvent) =>
    pressDigit(e, [once && (() => allow("once")), wide && (() => allow(wide.scope)), deny]);
  return (
    <div ref={card} tabIndex={-1} role="group" data-testid="ask" data-request={a.request} onKeyDown={press}>
      <header className="flex items-baseline gap-2">
        <h3 className="min-w-0 flex-1 text-sm font-semibold break-words text-warn">Needs you: {plannedCall(a)}</h3>
        <span className="shrink-0 text-text-faint tabular-nums">
          {count > 1 ? `1 of ${count} · ` : ""}waiting {clock(waited)}
        </span>
      </header>
      <p className="mt-0.5 mb-1.5 break-words text-text-muted">{stripControl(a.why)}</p>
      {a.show ? (
        <DiffText text={a.show} className="mb-2 max-h-32" />
      ) : (
        <Arguments raw={a.arguments} className="max-h-32 overflow-auto" />
      )}
      <div className="flex flex-wrap items-center gap-1.5">
        {once ? (
          <Button look="primary" data-testid="ask-once" className={touch} disabled={off} onClick={() => allow("once")}>
            Allow once <Key of="1" onAccent />
          </Button>
        ) : null}
        {wide ? (
          <Button
            data-testid="ask-goal"
            className={cx("max-w-full justify-center", touch)}
            title={stripControl(wide.covers)}
            disabled={off}
            onClick={() => allow(wide.scope)}
          >
            <span className="truncate">{goalOfferLabel(a, wide)}</span> <Key of="2" />
          </Button>
        ) : null}
        <Button data-testid="ask-deny" className={halfTouch} disabled={off} onClick={deny}>
          Deny <Key of="3" />
        </Button>
        <Button
          look="quiet"
          data-testid="ask-deny-reason"
          aria-expanded={denying}
          className={halfTouch}
          disabled={off}
          onClick={() => setDenying(!denying)}
        >
          Deny with a reason…
        </Button>
        <span className="flex-1 max-[640px]:hidden" />
        <Button look="quiet" data-testid="asks-open" className={halfTouch} onClick={() => void app.approvals.open()}>
          Approvals…
        </Button>
      </div>
      {denying ? (
        <Input
          autoFocus
          className="mt-2 h-7 w-full"
          data-testid="ask-reason"
          aria-label="Reason (sent to the agent)"
          placeholder="Reason (sent to the agent), or leave empty"
          value={why}
          onChange={(e) => setWhy(e.target.value)}
          onKeyDown={(e) => {
            if (e.code === "Enter") deny();
            if (e.code === "Escape") {
              e.stopPropagation();
              setDenying(false);
            }
          }}
        />
      ) : null}
    </div>
  );
}
