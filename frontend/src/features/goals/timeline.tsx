import { useState } from "react";
import type { TimelineEntry } from "@/bridge/types";
import { capitalize } from "@/lib/text";
import { clock } from "@/lib/time";
import { markdownText } from "@/ui/markdowntext";

interface TimelineProps {
  marks: readonly TimelineEntry[];
  /** The goal's duration so far, in ms. */
  length: number;
}

const verificationLabel: Record<string, string> = {
  pass: "Verified",
  fail: "Failed",
  waits: "Waits for you",
  running: "Being checked",
};

function entryLabel(who: string, word: string): string {
  if (who === "verify") return verificationLabel[word] ?? capitalize(word);
  return capitalize(word === "unparsed" ? `${who}: no clear answer` : `${who}: ${word}`);
}

/** The word, colour and shape of a mark. */
export function entryStyle(what: string): { word: string; color: string; round: boolean } {
  const [who = what, word = what] = what.split(":");
  const bad = word === "fail" || word === "tampered" || word === "rejected" || word === "misled";
  const ok = word === "pass" || word === "confirmed" || word === "achieved";
  const calm = word === "progressing" || word === "unparsed" || word === "running";
  return {
    word: entryLabel(who, word),
    color: bad ? "var(--bad)" : ok ? "var(--ok)" : calm ? "var(--text-muted)" : "var(--warn)",
    round: ok || calm,
  };
}

const neutralEntryStyle = "critic:progressing";
/** With more marks than this, the unimportant ones become ticks; otherwise they would hide the others. */
const compactAbove = 40;
const lastRows = 7;

/** A mark, and how many equal ones before it are merged into it. */
interface Row {
  mark: TimelineEntry;
  times: number;
}

/** The marks as rows. Consecutive neutral marks become one row with the newest text. */
export function rowsOf(marks: readonly TimelineEntry[]): Row[] {
  const rows: Row[] = [];
  for (const mark of marks) {
    const before = rows.at(-1);
    if (before && mark.what === neutralEntryStyle && before.mark.what === neutralEntryStyle) {
      before.mark = mark;
      before.times++;
    } else {
      rows.push({ mark, times: 1 });
    }
  }
  return rows;
}

/** Critic, claims and reviews on the goal's time axis, and the same as a list. */
export function Timeline({ marks, length }: TimelineProps) {
  const [whole, setWhole] = useState(false);
  const end = Math.max(length, ...marks.map((m) => m.at_ms), 1);
  const rows = rowsOf(marks);
  const earlier = whole ? 0 : Math.max(0, rows.length - lastRows);
  return (
    <div data-testid="timeline">
      <div className="relative mx-2 mt-1 mb-1 h-6" aria-hidden>
        <div className="absolute top-1/2 right-0 left-0 h-px bg-border-strong" />
        {marks.map((m, i) => {
          const l = entryStyle(m.what);
          return (
            <span
              key={i}
              title={`${clock(m.at_ms)} ${l.word}`}
              className={`absolute top-1/2 -translate-x-1/2 -translate-y-1/2 ${
                m.what === neutralEntryStyle && marks.length > compactAbove
                  ? "h-2 w-px"
                  : `size-[9px] ${l.round ? "rounded-full" : "rotate-45"}`
              }`}
              style={{ left: `${(m.at_ms / end) * 100}%`, background: l.color }}
            />
          );
        })}
      </div>
      <div className="mx-0 mb-1.5 flex justify-between text-2xs text-text-faint" aria-hidden>
        <span>0 s</span>
        <span>{clock(end)}</span>
      </div>
      {earlier > 0 ? (
        <button
          type="button"
          data-testid="marks-earlier"
          className="mb-1 text-xs text-text-faint underline underline-offset-2 hover:text-text"
          onClick={() => setWhole(true)}
        >
          {earlier} earlier
        </button>
      ) : null}
      <ul className="flex flex-col gap-1">
        {rows.slice(earlier).map(({ mark: m, times }, i) => {
          const l = entryStyle(m.what);
          return (
            <li key={earlier + i} className="flex gap-2 text-xs" data-testid="mark" data-what={m.what}>
              <span className="w-16 shrink-0 whitespace-nowrap text-text-faint tabular-nums">{clock(m.at_ms)}</span>
              <span className="shrink-0 font-medium" style={{ color: l.color }}>
                {l.word}
                {times > 1 ? ` ×${times}` : ""}
              </span>
              <span className="selectable line-clamp-3 min-w-0 break-words text-text-muted">
                {m.what.endsWith(":unparsed") ? "" : markdownText(m.detail)}
                {m.step > 0 ? <span className="text-text-faint"> · step {m.step}</span> : null}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
