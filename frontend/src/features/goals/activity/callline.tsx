import type { StepRow } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import { formatElapsed } from "@/lib/time";
import { useAppState } from "@/store/context";
import type { ClaimFact } from "@/store/journal";
import { toneText, type StatusTone } from "@/ui/badge";
import { cx } from "@/ui/cx";
import { stepLabel } from "@/features/goals/labels";
import { claimSummary } from "@/features/goals/stepfilter";
import { callWords, exitCode } from "@/agent/callwords";

interface CallResult {
  words: string;
  tone: StatusTone;
}

/** Describes how a call ended: `exit 1`, `denied`; `""` after success, or if its line says it. */
export function callResult(step: StepRow, claim: ClaimFact | null): CallResult {
  const score = claim ? claimSummary(claim) : null;
  if (score && score.of > 0) {
    return { words: "", tone: score.passed < score.of ? "bad" : "ok" };
  }
  if (isUnchecked(claim)) return { words: "", tone: "warn" };
  const code = exitCode(step.preview);
  if (code !== null && step.outcome !== "denied") return { words: `exit ${code}`, tone: code === 0 ? "calm" : "bad" };
  const said = stepLabel(step.outcome);
  return step.outcome === "ok" ? { words: "", tone: "calm" } : said;
}

/** Reports whether the host answered a claim without running the checks, as nothing was done since the last one. */
function isUnchecked(claim: ClaimFact | null | undefined): boolean {
  return claim !== null && claim !== undefined && claim.verdicts.length === 0 && claim.failed !== "";
}

interface CallTextProps {
  step: Pick<StepRow, "n" | "tool" | "arguments" | "outcome">;
  claim?: ClaimFact | null;
  /** The plan after a call that wrote it: `1 of 4 done, next: Serve`. */
  plan?: string;
  tone: StatusTone;
}

/** A call as a sentence: `Edited cart.go +12 −3`, `Ran go test ./cart`. */
export function CallText({ step, claim, plan, tone }: CallTextProps) {
  const touched = useAppState((s) => s.detail.journal.touched[step.n]);
  const words = callWords(step, touched);
  const score = claim ? claimSummary(claim) : null;
  if (score && score.of > 0) {
    return (
      <span className={tone === "bad" ? "text-bad" : "text-text"}>
        Claimed completion: {score.passed} of {score.of} checks passed
      </span>
    );
  }
  if (isUnchecked(claim)) return <span className="text-text">Claimed completion: nothing new to check</span>;
  return (
    <>
      <span className="text-text-muted">
        {words.verb}
        {plan ? ":" : ""}
      </span>{" "}
      <span className={cx(words.code ? "font-mono text-[0.94em]" : "font-medium", "text-text")}>
        {plan ? stripControl(plan) : words.object}
      </span>
      {words.added ? <span className="ml-1.5 text-ok tabular-nums">+{words.added}</span> : null}
      {words.removed ? <span className="ml-1 text-bad tabular-nums">−{words.removed}</span> : null}
    </>
  );
}

/** The result and the duration of a call, at the end of its row. */
export function CallEnd({ step, claim, result }: { step: StepRow; claim: ClaimFact | null; result: CallResult }) {
  if (step.outcome === "") return <span className="breathe text-text-faint">Running</span>;
  // The call of a claim is over at once; the checks run after it.
  const checked = (claim?.verdicts ?? []).reduce((sum, v) => sum + v.ms, 0);
  return (
    <>
      {result.words ? (
        <span className={result.tone === "calm" ? "text-text-faint" : toneText[result.tone]}>{result.words} · </span>
      ) : null}
      <span className="text-text-faint">{formatElapsed(step.ms + checked)}</span>
    </>
  );
}

/** Why a call failed: a few lines of its result. */
export function FailureLines({ lines }: { lines: readonly string[] }) {
  return (
    <div
      className="selectable border-l-2 border-bad pl-2.5 font-mono text-xs text-text-muted"
      data-testid="step-failure"
    >
      {lines.map((line, i) => (
        <p key={i} className="truncate">
          {line}
        </p>
      ))}
    </div>
  );
}
