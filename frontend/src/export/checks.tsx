import type { CheckState, Sentence, Verdict } from "@/bridge/types";
import { checkTone } from "@/features/goals/assurancelabel";
import { checkLabel } from "@/features/goals/labels";
import { OutcomeIcon } from "@/features/goals/outcomeicon";
import { sentenceText } from "@/features/goals/why/text";
import { capitalize, stripControl } from "@/lib/text";
import { formatElapsed } from "@/lib/time";
import { Badge, toneText } from "@/ui/badge";
import { Caption } from "@/ui/caption";
import type { ExportData } from "./data";
import { useOutput } from "./outputs";

/** The checks that decide the goal, each with the output of its newest verdict. */
export function Checks({ data: { view, receipt } }: { data: ExportData }) {
  const checks = view.check_states ?? [];
  const newest = (i: number) => {
    for (const claim of [...(receipt.claims ?? [])].reverse()) {
      const found = (claim.verdicts ?? []).find((v) => v.check === i);
      if (found) return found;
    }
    return undefined;
  };
  return (
    <>
      {checks.length > 1 ? (
        <p className="mb-2 text-xs text-text-faint">{view.any ? "One must pass" : "All must pass"}</p>
      ) : null}
      <ul className="flex flex-col gap-3">
        {checks.map((check, i) => (
          <li key={i} data-testid="export-check" data-outcome={check.outcome}>
            <Check check={check} verdict={newest(i)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Check({ check, verdict }: { check: CheckState; verdict: Verdict | undefined }) {
  const tone = check.outcome === "fail" ? "text-bad" : "text-text-faint";
  return (
    <div className="rounded-lg border border-border bg-surface px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <OutcomeIcon outcome={check.outcome} />
        <code className="min-w-[40%] flex-1 font-mono text-xs wrap-anywhere">{stripControl(check.name)}</code>
        {check.assurance_words ? <Badge tone={checkTone(check)}>{check.assurance_words}</Badge> : null}
        {check.ms > 0 ? <span className="text-xs text-text-faint tabular-nums">{formatElapsed(check.ms)}</span> : null}
      </div>
      <p className={`mt-1 text-xs wrap-anywhere ${tone}`}>
        {stripControl(capitalize(check.detail) || checkLabel(check.outcome).words)}
        {check.claim > 0 ? <span className="text-text-faint"> · claim {check.claim}</span> : null}
      </p>
      <Facts title="What this pass rests on" list={check.why?.rests} />
      <Facts title="What to look at" list={check.why?.look} />
      <Output evidence={check.evidence || verdict?.evidence} tail={check.tail} open={check.outcome !== "pass"} />
    </div>
  );
}

function Facts({ title, list }: { title: string; list: readonly Sentence[] | null | undefined }) {
  if (!list?.length) return null;
  return (
    <div className="mt-2 text-xs">
      <Caption className="mb-1">{title}</Caption>
      <ul className="list-disc pl-5 text-text-muted">
        {list.map((s) => (
          <li key={sentenceText(s)} className="wrap-anywhere">
            {stripControl(sentenceText(s))}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface OutputProps {
  evidence: string | undefined;
  /** The end of the output, if all of it is not in the file. */
  tail: string | undefined;
  open: boolean;
}

function Output({ evidence, tail, open }: OutputProps) {
  const text = useOutput(evidence) || tail || "";
  if (text.trim() === "") return null;
  return (
    <details className="mt-2 text-xs" open={open}>
      <summary className="text-text-muted">Output</summary>
      <pre
        tabIndex={0}
        aria-label="Output of the check"
        className="mt-1 max-h-96 overflow-auto rounded-md border border-border bg-bg p-2 font-mono text-xs break-words whitespace-pre-wrap"
      >
        {stripControl(text.trimEnd())}
      </pre>
    </details>
  );
}

/** A verdict of the receipt with its output. */
export function VerdictOutput({ verdict }: { verdict: Verdict }) {
  return (
    <div className="py-0.5">
      <div className="flex items-start gap-2">
        <span className="pt-0.5">
          <OutcomeIcon outcome={verdict.outcome} size={13} />
        </span>
        <span className="min-w-0 flex-1 wrap-anywhere">
          <span className={toneText[checkLabel(verdict.outcome).tone]}>{stripControl(verdict.name)}</span>{" "}
          <span className="text-text-faint">{stripControl(verdict.detail)}</span>
        </span>
      </div>
      <div className="ml-[21px]">
        <Output evidence={verdict.evidence} tail={verdict.tail} open={false} />
      </div>
    </div>
  );
}
