import { useState } from "react";
import type { CheckState } from "@/bridge/types";
import { capitalize, stripControl } from "@/lib/text";
import { formatElapsed } from "@/lib/time";
import { useAppState } from "@/store/context";
import { OutcomeIcon } from "./outcomeicon";
import { OutputDialog } from "./output";
import { checkLabel } from "./labels";
import { cx } from "@/ui/cx";

interface CheckLineProps {
  check: CheckState;
  /** SHA-256 of the complete output of its newest verdict, `""` if there is none. */
  evidence: string;
  /** Leaves out the evidence where there is little space. */
  short?: boolean;
}

/** One check with its newest verdict. */
export function CheckLine({ check, evidence, short }: CheckLineProps) {
  const [open, setOpen] = useState(false);
  const words = capitalize(check.detail) || checkLabel(check.outcome).words;
  return (
    <div className="flex gap-2.5 py-1" data-testid="check" data-outcome={check.outcome}>
      <span className="pt-0.5">
        <OutcomeIcon outcome={check.outcome} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2">
          <code className="selectable line-clamp-3 min-w-0 flex-1 font-mono text-xs wrap-anywhere" title={check.words}>
            {check.name}
          </code>
          {check.ms > 0 ? (
            <span className="shrink-0 text-xs text-text-faint tabular-nums">{formatElapsed(check.ms)}</span>
          ) : null}
        </div>
        {short && check.tail ? <LastLine check={check} /> : null}
        <p className={`text-xs ${check.outcome === "fail" ? "text-bad" : "text-text-faint"}`}>
          {words}
          {check.claim > 0 ? <span className="text-text-faint"> · claim {check.claim}</span> : null}
          {evidence ? (
            <button
              type="button"
              data-testid="check-output"
              className="ml-2 text-text-faint underline underline-offset-2 hover:text-text"
              onClick={() => setOpen(true)}
            >
              Show full output
            </button>
          ) : null}
        </p>
        {!short && check.tail && check.outcome !== "pass" ? (
          <pre
            tabIndex={0}
            aria-label={`Last lines of ${check.name}`}
            className={cx(
              "mt-1 max-h-32 overflow-auto rounded-sm bg-surface-hover px-2 py-1 font-mono text-2xs",
              "break-words whitespace-pre-wrap text-text-muted",
            )}
          >
            {check.tail.trimEnd()}
          </pre>
        ) : null}
      </div>
      {open ? <OutputDialog sha256={evidence} title={check.name} onClose={() => setOpen(false)} /> : null}
    </div>
  );
}

/** The last line of a check's output, or how it ended without any. */
export function LastLine({ check }: { check: CheckState }) {
  const line = stripControl(check.tail.trimEnd().split("\n").at(-1) ?? "").trim() || check.detail;
  if (!line) return null;
  return (
    <span
      data-testid="check-last-line"
      className="selectable mt-0.5 line-clamp-1 border-l-2 border-border-strong pl-2 font-mono text-xs wrap-anywhere text-text-faint"
    >
      {line}
    </span>
  );
}

/** The evidence of each check's newest verdict, by the check's index. */
export function useEvidence(): (check: number) => string {
  const claims = useAppState((s) => s.detail.journal.claims);
  return (check) => {
    for (let i = claims.length - 1; i >= 0; i--) {
      const v = claims[i]?.verdicts.find((x) => x.check === check);
      if (v) return v.evidence ?? "";
    }
    return "";
  };
}
