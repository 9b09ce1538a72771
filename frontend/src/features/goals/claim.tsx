import { useState } from "react";
import type { Verdict } from "@/bridge/types";
import { bytes } from "@/lib/bytes";
import { capitalize, plural } from "@/lib/text";
import { useAppState } from "@/store/context";
import type { ClaimFact } from "@/store/journal";
import { OutcomeIcon } from "./outcomeicon";
import { OutputDialog } from "./output";
import { checkLabel } from "./labels";
import { toneText } from "@/ui/badge";

/** A claim's verdicts with the last lines of their output. */
export function ClaimBox({ claim }: { claim: ClaimFact }) {
  const running = useAppState((s) => s.detail.view?.status === "running");
  return (
    <div
      data-testid="claim"
      data-claim={claim.n}
      className="mr-5 mb-2 ml-[156px] max-[640px]:mx-4 rounded-md border border-border bg-surface-raised px-3 py-2 font-mono text-xs"
    >
      {claim.verdicts.length === 0 ? (
        <p className={running ? "breathe text-text-faint" : "text-text-faint"}>
          {running ? "Verifying…" : capitalize(claim.failed) || "No verdict: waiting for your decision, or interrupted"}
        </p>
      ) : (
        claim.verdicts.map((v) => <VerdictLines key={v.check} verdict={v} />)
      )}
      {claim.openTodos > 0 ? (
        <p className="text-text-faint" data-testid="claim-open-todos">
          {plural(claim.openTodos, "todo")} of the plan {claim.openTodos === 1 ? "was" : "were"} open
        </p>
      ) : null}
    </div>
  );
}

export function VerdictLines({ verdict }: { verdict: Verdict }) {
  const [open, setOpen] = useState(false);
  const said = checkLabel(verdict.outcome);
  const evidence = verdict.evidence ?? "";
  return (
    <div className="py-0.5" data-testid="verdict" data-outcome={verdict.outcome}>
      <div className="flex items-start gap-2">
        <span className="pt-0.5">
          <OutcomeIcon outcome={verdict.outcome} size={13} />
        </span>
        <span className="selectable line-clamp-4 min-w-0 flex-1 break-words">
          <span className={toneText[said.tone]}>{verdict.name}</span>{" "}
          <span className="text-text-faint">{verdict.detail}</span>
        </span>
        {evidence ? (
          <button
            type="button"
            data-testid="verdict-output"
            className="shrink-0 text-text-faint underline-offset-2 hover:text-text hover:underline"
            onClick={() => setOpen(true)}
          >
            output{verdict.bytes ? ` ${bytes(verdict.bytes)}` : ""}
          </button>
        ) : null}
      </div>
      {verdict.tail && verdict.outcome !== "pass" ? (
        <pre
          tabIndex={0}
          aria-label={`Last lines of ${verdict.name}`}
          className="mt-0.5 ml-[21px] max-h-40 overflow-auto break-words whitespace-pre-wrap text-text-muted"
        >
          {verdict.tail.trimEnd()}
        </pre>
      ) : null}
      {open ? <OutputDialog sha256={evidence} title={verdict.name} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}
