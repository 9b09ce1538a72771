import type { StepRow } from "@/bridge/types";
import { clock } from "@/lib/time";
import { useAppState } from "@/store/context";
import type { ClaimFact } from "@/store/journal";
import { cx } from "@/ui/cx";
import { CallIcon } from "@/agent/callicon";
import { CallEnd, CallText, FailureLines, callResult } from "./activity/callline";
import { ClaimBox } from "./claim";
import { StepMore } from "./stepdetails";

interface StepLineProps {
  goal: string;
  step: StepRow;
  claim: ClaimFact | null;
  /** What the call that wrote the plan made of it. */
  plan: string;
  open: boolean;
  /** Whether this row is the list's Tab stop. */
  tab: boolean;
  onToggle: () => void;
  onReplay: ((ms: number) => void) | undefined;
}

/** One step as a line of text. A claim shows its verdicts and a failure its lines below; expanding shows everything. */
export function StepLine({ goal, step, claim, plan, open, tab, onToggle, onReplay }: StepLineProps) {
  const result = callResult(step, claim);
  const failure = useAppState((s) => s.detail.journal.failures[step.n]);
  return (
    <div
      data-testid="step"
      data-n={step.n}
      data-tool={step.tool}
      data-outcome={step.outcome}
      className={open || claim ? "bg-surface" : ""}
    >
      <button
        type="button"
        aria-expanded={open}
        tabIndex={tab ? 0 : -1}
        onClick={onToggle}
        className={cx(
          "grid w-full grid-cols-[26px_58px_14px_1fr_auto] items-baseline gap-x-3 px-5 py-1",
          "text-left hover:bg-surface-raised max-[640px]:grid-cols-[14px_1fr_auto] max-[640px]:px-4 max-[640px]:py-2",
        )}
      >
        <span className="text-xs text-text-faint tabular-nums max-[640px]:hidden">{step.n}</span>
        <span className="text-xs text-text-faint tabular-nums max-[640px]:hidden">{clock(step.at_ms)}</span>
        <span className="self-center">
          <CallIcon step={step} tone={result.tone} />
        </span>
        <span className="min-w-0 truncate">
          <CallText step={step} claim={claim} plan={plan} tone={result.tone} />
          {step.image_sha256 ? <span className="ml-2 text-xs text-text-faint">picture</span> : null}
        </span>
        <span className="text-right text-xs whitespace-nowrap tabular-nums">
          <CallEnd step={step} claim={claim} result={result} />
        </span>
      </button>
      {failure && failure.length > 0 && !open && !claim ? (
        <div className="pr-5 pb-1.5 pl-[156px] max-[640px]:pl-[42px]">
          <FailureLines lines={failure} />
        </div>
      ) : null}
      {claim ? <ClaimBox claim={claim} /> : null}
      {open ? <StepMore goal={goal} step={step} onReplay={onReplay} /> : null}
    </div>
  );
}
