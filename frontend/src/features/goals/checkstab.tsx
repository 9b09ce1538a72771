import type { ReactNode } from "react";
import type { GoalView } from "@/bridge/types";
import { useAppState } from "@/store/context";
import { Button } from "@/ui/button";
import { Caption } from "@/ui/caption";
import { useRecheck } from "./changes/recheck";
import { VerdictLines } from "./claim";
import { CheckList } from "./why/checklist";

interface ChecksTabProps {
  view: GoalView;
  /** The tabs, on the left of the bar. */
  before: ReactNode;
}

/** What decides a goal: each check with its current state, and the verdicts of every claim. */
export function ChecksTab({ view, before }: ChecksTabProps) {
  const claims = useAppState((s) => s.detail.journal.claims);
  const checks = view.check_states ?? [];
  return (
    <div className="flex min-h-0 flex-1 flex-col max-[900px]:h-[360px] max-[900px]:flex-none" data-testid="checks-tab">
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-border px-4 py-1 text-xs">
        {before}
        <span className="flex-1" />
        {claims.length > 0 && view.status !== "running" ? <RunAgain goal={view.id} /> : null}
      </div>
      <div tabIndex={0} role="group" aria-label="Checks" className="min-h-0 flex-1 overflow-y-auto px-5 py-3">
        <Caption className="mb-1">{view.any && checks.length > 1 ? "One must pass" : "All must pass"}</Caption>
        {/* The reasons come with the snapshot after the end: only then the list knows which check is doubted. */}
        <CheckList key={`${view.id} ${checks.filter((c) => c.why).length}`} view={view} keys />
        {[...claims].reverse().map((claim) => (
          <section key={claim.n} className="mt-4 text-xs" data-testid="checks-claim" data-claim={claim.n}>
            <Caption className="mb-1">Claim {claim.n}</Caption>
            {claim.verdicts.length > 0 ? (
              <div className="font-mono">
                {claim.verdicts.map((v) => (
                  <VerdictLines key={v.check} verdict={v} />
                ))}
              </div>
            ) : (
              <p className="text-text-faint">{claim.failed || "It has no verdict yet."}</p>
            )}
          </section>
        ))}
        {claims.length === 0 && checks.every((c) => c.claim === 0) ? (
          <p className="mt-3 text-xs text-text-faint">No claim yet.</p>
        ) : null}
      </div>
    </div>
  );
}

/** Runs the checks again in the current folder; the goal's verdicts do not change. */
function RunAgain({ goal }: { goal: string }) {
  const { result, run } = useRecheck(goal);
  return (
    <>
      <span role="status" className="text-text-muted" data-testid="checks-result">
        {result}
      </span>
      <Button look="quiet" data-testid="checks-again" onClick={run}>
        Run checks again
      </Button>
    </>
  );
}
