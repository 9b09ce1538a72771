import type { Mark } from "@/bridge/types";
import { clock } from "@/lib/time";

interface TimelineProps {
  marks: readonly Mark[];
  /** The goal's length so far, ms. */
  length: number;
}

const verifyWords: Record<string, string> = { pass: "verified", fail: "failed" };

function look(what: string): { word: string; color: string; round: boolean } {
  const [who, word = what] = what.split(":");
  const bad = word === "fail" || word === "tampered" || word === "rejected" || word === "misled";
  const ok = word === "pass" || word === "confirmed" || word === "achieved";
  const calm = word === "progressing" || word === "unparsed";
  return {
    word: who === "verify" ? (verifyWords[word] ?? word) : `${who} ${word}`,
    color: bad ? "var(--bad)" : ok ? "var(--ok)" : calm ? "var(--t2)" : "var(--warn)",
    round: ok || calm,
  };
}

/** Critic, claims and reviews on the goal's time axis, and the same as a list. */
export function Timeline({ marks, length }: TimelineProps) {
  const end = Math.max(length, ...marks.map((m) => m.at_ms), 1);
  return (
    <div data-testid="timeline">
      <div className="relative mx-2 mt-1 mb-1 h-6" aria-hidden>
        <div className="absolute top-1/2 right-0 left-0 h-px bg-line2" />
        {marks.map((m, i) => {
          const l = look(m.what);
          return (
            <span
              key={i}
              title={`${clock(m.at_ms)} ${m.what}`}
              className={`absolute top-1/2 size-[9px] -translate-x-1/2 -translate-y-1/2 ${l.round ? "rounded-full" : "rotate-45"}`}
              style={{ left: `${(m.at_ms / end) * 100}%`, background: l.color }}
            />
          );
        })}
      </div>
      <div className="mx-0 mb-1.5 flex justify-between text-2xs text-t3" aria-hidden>
        <span>0 s</span>
        <span>{clock(end)}</span>
      </div>
      <ul className="flex flex-col gap-1">
        {marks.map((m, i) => {
          const l = look(m.what);
          return (
            <li key={i} className="flex gap-2 text-xs" data-testid="mark" data-what={m.what}>
              <span className="w-14 shrink-0 text-t3 tabular-nums">{clock(m.at_ms)}</span>
              <span className="shrink-0 font-medium" style={{ color: l.color }}>
                {l.word}
              </span>
              <span className="selectable line-clamp-3 min-w-0 break-words text-t2">
                {m.detail}
                {m.step > 0 ? <span className="text-t3"> · step {m.step}</span> : null}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
