import { useState } from "react";
import { oneLine, stripControl } from "@/lib/text";
import type { NoteFact } from "@/store/journal";
import { cx } from "@/ui/cx";
import {
  BackIcon,
  EyeIcon,
  FlagIcon,
  ListIcon,
  LockIcon,
  NoteIcon,
  PauseIcon,
  PlayIcon,
  ReloadIcon,
  RingIcon,
  SparkIcon,
  WarnIcon,
} from "@/ui/icons";
import { AgentText } from "@/agent/text";
import { costWords } from "./cost";

// An agent outside this program has no goal: it connects through MCP.
const noteAuthor = (from: string) => (from === "mcp" ? "Another agent" : `Goal ${from.slice(-8)}`);

const noteLabel: Record<Exclude<NoteFact["kind"], "message">, { title: string; tone: string }> = {
  steered: { title: "You", tone: "text-accent" },
  warning: { title: "Warning", tone: "text-warn" },
  paused: { title: "Paused", tone: "text-warn" },
  looked: { title: "Looked", tone: "text-text-muted" },
  resumed: { title: "Resumed", tone: "text-accent" },
  queued: { title: "Queued", tone: "text-text-muted" },
  reopened: { title: "Reopened", tone: "text-accent" },
  limits_changed: { title: "Limits", tone: "text-accent" },
  model_changed: { title: "Model", tone: "text-accent" },
  created: { title: "Other models", tone: "text-text-muted" },
  critic: { title: "Critic", tone: "text-text" },
  review: { title: "Review", tone: "text-text" },
  accepted: { title: "Accepted", tone: "text-accent" },
  changes_undone: { title: "Changes undone", tone: "text-accent" },
  taken: { title: "Taken", tone: "text-accent" },
  race_ranked: { title: "Race ranked", tone: "text-text" },
  rechecked: { title: "Checks run again", tone: "text-text" },
  todos: { title: "Plan", tone: "text-text" },
  approval_requested: { title: "Asked you", tone: "text-warn" },
  approval_resolved: { title: "Denied", tone: "text-bad" },
  ended: { title: "Ended", tone: "text-text" },
};

/** The subject of a warning, for those whose own name does not show it. */
const warningLabels: Partial<Record<string, string>> = {
  sandbox: "Sandbox notice",
  network: "Network request blocked",
  secret: "Secret",
  critic: "Critic",
  model: "Model",
  changed: "Changed after done",
};

function title(note: NoteFact): string {
  if (note.from) return noteAuthor(note.from);
  if (note.kind === "message") return "Agent";
  if (note.kind === "approval_resolved" && note.allowed) return "Allowed";
  if (note.kind === "todos" && note.what === "note") return "Note";
  if (note.kind === "changes_undone" && note.what === "redo") return "Changes restored";
  if (note.kind === "taken" && note.what === "undone") return "Take undone";
  return (note.kind === "warning" && warningLabels[note.what ?? ""]) || noteLabel[note.kind].title;
}

function tone(note: NoteFact): string {
  if (note.kind === "message") return "text-agent";
  if (note.kind === "approval_resolved" && note.allowed) return "text-ok";
  return noteLabel[note.kind].tone;
}

const noteIcons: Record<Exclude<NoteFact["kind"], "message">, typeof NoteIcon> = {
  steered: NoteIcon,
  warning: WarnIcon,
  paused: PauseIcon,
  looked: EyeIcon,
  resumed: PlayIcon,
  queued: RingIcon,
  reopened: PlayIcon,
  limits_changed: NoteIcon,
  model_changed: NoteIcon,
  created: NoteIcon,
  critic: EyeIcon,
  review: EyeIcon,
  accepted: FlagIcon,
  changes_undone: BackIcon,
  taken: FlagIcon,
  race_ranked: EyeIcon,
  rechecked: ReloadIcon,
  todos: ListIcon,
  approval_requested: LockIcon,
  approval_resolved: LockIcon,
  ended: FlagIcon,
};

/** Notes with words of a model, which are Markdown. A plan's items and a user's note stay as they were typed. */
function isModelText(note: NoteFact): boolean {
  const kinds: NoteFact["kind"][] = ["critic", "review", "paused", "ended", "approval_requested"];
  return kinds.includes(note.kind) || note.what === "note" || note.from !== undefined;
}

/** The columns of a row: number, time, icon, text, cost. */
const lineGrid =
  "grid grid-cols-[26px_58px_14px_1fr_auto] gap-x-3 px-5 py-1.5 max-[640px]:grid-cols-[14px_1fr] max-[640px]:px-4";
const shortGrid = "grid grid-cols-[14px_1fr] gap-x-2.5 py-[3px]";

/** A message or decision between the steps, in one line. */
export function NoteLine({ note, short = false }: { note: NoteFact; short?: boolean }) {
  if (note.kind === "message") return <AgentWords note={note} />;
  const Icon = noteIcons[note.kind];
  return (
    <div
      data-testid="log-note"
      data-kind={note.kind}
      data-what={note.what}
      className={cx(short ? shortGrid : lineGrid, "text-xs")}
    >
      {short ? null : <span className="max-[640px]:hidden" />}
      {short ? null : <span className="max-[640px]:hidden" />}
      <Icon
        size={14}
        className={cx("mt-[3px] shrink-0", tone(note) === "text-text" ? "text-text-faint" : tone(note))}
      />
      <div className="min-w-0 leading-5">
        <span className={cx("font-medium", tone(note))}>{title(note)}</span>{" "}
        {isModelText(note) ? (
          <AgentText text={note.text} className="markdown-inline text-text-muted" />
        ) : (
          <span className="selectable break-words whitespace-pre-wrap text-text-muted">{stripControl(note.text)}</span>
        )}
        {note.kind === "steered" ? (
          <span className="text-text-faint" data-testid="note-read">
            {" "}
            · read {note.afterStep > 0 ? `after step ${note.afterStep}` : "before the first step"}
          </span>
        ) : null}
      </div>
    </div>
  );
}

/** The agent's message of a turn; its thinking is shown on demand. */
function AgentWords({ note }: { note: NoteFact }) {
  return (
    <div data-testid="log-said" className={lineGrid}>
      <span className="max-[640px]:hidden" />
      <span className="max-[640px]:hidden" />
      <SparkIcon size={14} className="mt-[3px] shrink-0 text-agent" />
      <div className="min-w-0">
        {note.text ? <AgentText text={note.text} className="max-w-[78ch] text-text-muted" /> : null}
        {note.reasoning ? <Reasoning text={note.reasoning} /> : null}
      </div>
      {note.cost ? (
        <span
          className="text-right text-2xs leading-5 whitespace-nowrap text-text-faint tabular-nums max-[640px]:hidden"
          data-testid="turn-cost"
        >
          {costWords(note.cost)}
        </span>
      ) : null}
    </div>
  );
}

/** A model's thinking: one line, expandable. */
export function Reasoning({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="mt-0.5 text-xs text-text-faint" data-testid="reasoning">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex max-w-full gap-1.5 text-left hover:text-text-muted"
      >
        <span className="shrink-0 font-medium">{open ? "Hide thinking" : "Thinking"}</span>
        {open ? null : <span className="min-w-0 truncate italic">{stripControl(oneLine(text).slice(0, 200))}</span>}
      </button>
      {open ? (
        <p className="selectable mt-1 max-w-[78ch] border-l-2 border-border-strong pl-2.5 break-words whitespace-pre-wrap">
          {stripControl(text)}
        </p>
      ) : null}
    </div>
  );
}
