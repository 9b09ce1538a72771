import { memo, useState, type ReactNode } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { TranscriptEntry, TranscriptKind } from "@/bridge/types";
import { argumentLines, pretty, stripControl } from "@/lib/text";
import { clock } from "@/lib/time";
import { useApp, useAppState } from "@/store/context";
import { toneText, type StatusTone } from "@/ui/badge";
import { Button, IconButton } from "@/ui/button";
import { cx } from "@/ui/cx";
import { CopyIcon } from "@/ui/icons";
import { CallDetails } from "@/agent/calldetails";
import { AgentText } from "@/agent/text";
import { entryBody, entryCost, entryText, entryTitle } from "./entrytext";

const tones: Record<TranscriptKind, StatusTone> = {
  agent: "agent",
  host: "calm",
  step: "calm",
  plan: "calm",
  critic: "accent",
  review: "accent",
  claim: "accent",
  check: "calm",
  approval: "warn",
  note: "accent",
  warning: "warn",
  status: "calm",
  usage: "calm",
};

function toneOf(e: TranscriptEntry): StatusTone {
  if (e.kind === "check") return e.outcome === "pass" ? "ok" : "bad";
  if (e.kind === "step" && (e.outcome === "failed" || e.outcome === "denied")) return "bad";
  return tones[e.kind];
}

/** Longer texts are truncated until the user expands them. */
const maxClosed = 1_200;

interface EntryRowProps {
  goal: string;
  entry: TranscriptEntry;
  position: number;
  total: number;
  /** This entry begins a turn. */
  first: boolean;
  search: string;
  open: boolean;
  onToggle: (seq: number) => void;
  /** Shows a step in the activity. */
  onStep?: (n: number) => void;
}

/** One entry of a transcript. It renders only when it changes, not when the list scrolls. */
export const EntryRow = memo(function EntryRow({
  goal,
  entry,
  position,
  total,
  first,
  search,
  open,
  onToggle,
  onStep,
}: EntryRowProps) {
  const app = useApp();
  const [raw, setRaw] = useState(false);
  const tone = toneOf(entry);
  const cost = entryCost(entry);
  const copy = async () => {
    if (await writeClipboard(entryText(entry))) app.notices.done("Copied");
  };
  return (
    <article
      data-testid="transcript-entry"
      data-kind={entry.kind}
      data-seq={entry.seq}
      aria-posinset={position}
      aria-setsize={total}
      aria-label={entryTitle(entry)}
      className="border-b border-border px-5 py-2.5 max-[640px]:px-4"
    >
      {first && entry.turn > 0 ? (
        <p className="mb-1.5 text-2xs font-medium tracking-wide text-text-faint uppercase">Turn {entry.turn}</p>
      ) : null}
      <header className="flex items-baseline gap-2.5 text-xs">
        <span className={cx("min-w-0 truncate font-medium", tone === "calm" ? "text-text" : toneText[tone])}>
          <Marked text={stripControl(entryTitle(entry))} search={search} />
        </span>
        <span className="shrink-0 text-2xs text-text-faint tabular-nums">{clock(entry.at_ms)}</span>
        <span className="flex-1" />
        {cost ? (
          <span className="shrink-0 text-2xs text-text-faint tabular-nums" data-testid="transcript-cost">
            {cost}
          </span>
        ) : null}
        {entry.kind === "step" ? (
          <Button
            look="quiet"
            className="h-5 px-1.5 text-2xs"
            data-testid="transcript-raw"
            aria-pressed={raw}
            onClick={() => setRaw(!raw)}
          >
            {raw ? "Hide raw" : "Show raw"}
          </Button>
        ) : null}
        {entry.step && onStep ? (
          <Button
            look="quiet"
            className="h-5 px-1.5 text-2xs max-[640px]:hidden"
            data-testid="transcript-step"
            onClick={() => onStep(entry.step ?? 0)}
          >
            Show in activity
          </Button>
        ) : null}
        <IconButton
          label="Copy this entry"
          className="size-5"
          data-testid="transcript-copy-entry"
          onClick={() => void copy()}
        >
          <CopyIcon size={12} />
        </IconButton>
      </header>
      <div className="mt-1">
        {raw ? (
          <Raw entry={entry} />
        ) : (
          <Body goal={goal} entry={entry} search={search} open={open} onToggle={() => onToggle(entry.seq)} />
        )}
      </div>
    </article>
  );
});

interface BodyProps {
  goal: string;
  entry: TranscriptEntry;
  search: string;
  open: boolean;
  onToggle: () => void;
}

function Body({ goal, entry, search, open, onToggle }: BodyProps) {
  const body = entryBody(entry);
  const long = body.length > maxClosed;
  return (
    <>
      {entry.reasoning ? (
        <p
          className="selectable mb-1.5 max-w-[90ch] border-l-2 border-agent pl-2.5 text-xs break-words whitespace-pre-wrap text-text-faint italic"
          data-testid="reasoning"
        >
          <Marked text={stripControl(entry.reasoning)} search={search} />
        </p>
      ) : null}
      {entry.kind === "step" && !search ? (
        <EntryCall goal={goal} entry={entry} />
      ) : (
        content(entry, search, open || !long)
      )}
      {long && (entry.kind !== "step" || search) ? (
        <Button look="quiet" className="mt-1" data-testid="transcript-more" aria-expanded={open} onClick={onToggle}>
          {open ? "Show less" : "Show all"}
        </Button>
      ) : null}
    </>
  );
}

function EntryCall({ goal, entry }: { goal: string; entry: TranscriptEntry }) {
  const app = useApp();
  const isExport = useAppState((s) => s.isExport);
  return (
    <CallDetails
      step={{
        tool: entry.tool ?? "",
        arguments: entry.arguments ?? "",
        outcome: entry.outcome ?? "",
        preview: entry.preview ?? "",
        result: entry.text,
      }}
      onFile={isExport ? undefined : ({ path, line }) => void app.panes.openGoalFile(goal, path, line)}
    />
  );
}

/** During a search, texts are shown unformatted, so that every match can be marked. */
function content(entry: TranscriptEntry, search: string, whole: boolean): ReactNode {
  const body = entryBody(entry);
  const shown = whole ? body : closedPart(body, search);
  if ((entry.kind === "agent" || entry.kind === "claim") && !search) {
    return <AgentText text={shown} className="max-w-[90ch] text-text-muted" />;
  }
  const text = entry.kind === "step" ? `${formatArguments(entry.arguments ?? "")}\n\n${shown}` : shown;
  if (text.trim() === "") return null;
  return (
    <p
      className={cx(
        "selectable max-w-[110ch] text-xs break-words whitespace-pre-wrap text-text-muted",
        (entry.kind === "step" || entry.kind === "check") && "font-mono",
      )}
    >
      <Marked text={stripControl(text)} search={search} />
    </p>
  );
}

/** The arguments of a call, one per line. */
function formatArguments(json: string): string {
  return argumentLines(json)
    .map(({ name, value }) => (name ? `${name}: ${value}` : value))
    .join("\n");
}

/** The part of a long text that is shown first: its beginning, or the surroundings of the match. */
function closedPart(text: string, search: string): string {
  const at = search ? text.toLowerCase().indexOf(search.toLowerCase()) : 0;
  const from = Math.max(0, at - 200);
  return (from > 0 ? "…" : "") + text.slice(from, from + maxClosed) + "…";
}

/** The call as the model wrote it, and its result. */
function Raw({ entry }: { entry: TranscriptEntry }) {
  return (
    <pre
      tabIndex={0}
      aria-label="Raw call"
      data-testid="transcript-raw-text"
      className="selectable max-h-96 overflow-auto rounded-sm border border-border bg-bg p-2 font-mono text-xs break-words whitespace-pre-wrap"
    >
      {`${entry.tool ?? ""} ${pretty(entry.arguments ?? "")}\n\n${entry.text}`}
    </pre>
  );
}

/** A text with every match of the search marked. */
function Marked({ text, search }: { text: string; search: string }) {
  if (search === "") return text;
  const parts: ReactNode[] = [];
  const low = text.toLowerCase();
  const wanted = search.toLowerCase();
  // In a few scripts lower case is longer than the text, so positions would be wrong.
  if (low.length !== text.length) return text;
  let at = 0;
  for (let found = low.indexOf(wanted); found >= 0 && parts.length < 400; found = low.indexOf(wanted, at)) {
    parts.push(text.slice(at, found));
    parts.push(
      <mark key={found} className="rounded-sm bg-warn-bg text-warn">
        {text.slice(found, found + wanted.length)}
      </mark>,
    );
    at = found + wanted.length;
  }
  return [...parts, text.slice(at)];
}
