import type { StepRow } from "@/bridge/types";
import { argumentsLine, oneLine } from "@/lib/text";
import { clock, formatElapsed } from "@/lib/time";
import type { ClaimFact, NoteFact } from "@/store/journal";
import { toneText } from "@/ui/badge";
import { ClaimBox } from "./claim";
import { claimSummary } from "./stepfilter";
import { StepMore } from "./stepdetails";
import { stepLabel } from "./labels";
import { cx } from "@/ui/cx";

interface StepLineProps {
  goal: string;
  step: StepRow;
  claim: ClaimFact | null;
  open: boolean;
  /** Whether Tab stops here. */
  tab: boolean;
  onToggle: () => void;
  onReplay: ((ms: number) => void) | undefined;
}

/** One step in one line; a claim shows its verdicts under it, opening shows everything. */
export function StepLine({ goal, step, claim, open, tab, onToggle, onReplay }: StepLineProps) {
  const said = stepLabel(step.outcome);
  const score = claim ? claimSummary(claim) : null;
  const lost = score !== null && score.of > 0 && score.passed < score.of;
  const words = score && score.of > 0 ? `${score.passed} of ${score.of}` : said.words;
  const tone = score && score.of > 0 ? (lost ? "bad" : "ok") : said.tone;
  const aside = step.outcome === "denied" || step.outcome === "failed" ? oneLine(step.preview) : "";
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
          "grid w-full grid-cols-[26px_62px_1fr_auto_64px] items-baseline gap-x-3 px-5 py-1",
          "text-left hover:bg-surface-raised",
        )}
      >
        <span className="text-text-faint tabular-nums">{step.n}</span>
        <span className="text-xs text-text-faint tabular-nums">{clock(step.at_ms)}</span>
        <span className="min-w-0 truncate">
          <span className={lost ? "text-bad" : "text-text"}>{step.tool}</span>{" "}
          <span className="text-text-muted">{argumentsLine(step.arguments)}</span>
          {step.image_sha256 ? <span className="ml-2 text-xs text-text-faint">picture</span> : null}
        </span>
        <span className={`max-w-72 truncate text-xs font-medium ${toneText[tone]}`}>
          {step.outcome === "" ? <span className="breathe">running</span> : words}
          {aside ? <span className="ml-2 font-normal text-text-faint">{aside}</span> : null}
        </span>
        <span className="text-right text-xs text-text-faint tabular-nums">
          {step.outcome === "" ? "" : formatElapsed(step.ms)}
        </span>
      </button>
      {claim ? <ClaimBox claim={claim} /> : null}
      {open ? <StepMore goal={goal} step={step} onReplay={onReplay} /> : null}
    </div>
  );
}

// An agent outside of this program has no goal: it comes over MCP.
const noteAuthor = (from: string) => (from === "mcp" ? "Another agent said" : `Goal ${from.slice(-8)} said`);

const noteLabel: Record<NoteFact["kind"], { title: string; tone: string }> = {
  steered: { title: "You said", tone: "text-accent" },
  warning: { title: "Warning", tone: "text-warn" },
  paused: { title: "Paused", tone: "text-warn" },
  resumed: { title: "Resumed", tone: "text-accent" },
  queued: { title: "Queued", tone: "text-text-muted" },
  reopened: { title: "Reopened", tone: "text-accent" },
  limits_changed: { title: "Limits", tone: "text-accent" },
  critic: { title: "Critic", tone: "text-text" },
  review: { title: "Review", tone: "text-text" },
  changes_undone: { title: "Changes undone", tone: "text-accent" },
};

/** What a warning is about, where its own name does not say it. */
const warningLabels: Partial<Record<string, string>> = {
  sandbox: "Sandbox notice",
  network: "Network request blocked",
  secret: "Secret",
  critic: "Critic",
  model: "Model",
};

function title(note: NoteFact): string {
  if (note.from) return noteAuthor(note.from);
  return warningLabels[note.what ?? ""] ?? noteLabel[note.kind].title;
}

/** What happened between the steps. */
export function NoteLine({ note }: { note: NoteFact }) {
  const words = noteLabel[note.kind];
  return (
    <div
      data-testid="log-note"
      data-kind={note.kind}
      data-what={note.what}
      className="mx-5 my-1 flex gap-2 rounded-md border border-border bg-surface px-3 py-1.5 text-xs"
    >
      <span className={`shrink-0 font-medium ${words.tone}`}>{title(note)}</span>
      <span className="selectable min-w-0 break-words whitespace-pre-wrap text-text-muted">{note.text}</span>
    </div>
  );
}
