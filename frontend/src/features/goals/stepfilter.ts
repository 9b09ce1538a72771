import type { StepRow } from "@/bridge/types";
import type { ClaimFact, Journal, NoteFact } from "@/store/journal";
import { callSentence, kindOf, kindLabels, type CallKind } from "@/agent/callwords";

/** A row of the step log. A claim is below the step that made it. */
export type LogLine =
  | { kind: "step"; key: string; step: StepRow; claim: ClaimFact | null; plan: string }
  | { kind: "note"; key: string; note: NoteFact };

export interface LogFilter {
  kind: CallKind | "";
  failedOnly: boolean;
  text: string;
}

export const noFilter: LogFilter = { kind: "", failedOnly: false, text: "" };

/**
 * The activity of a goal: its steps, with claims and notes in between. A filter by kind or by failure hides the
 * notes; a text filter keeps those that contain the text.
 */
export function logLines(steps: readonly StepRow[], journal: Journal, filter: LogFilter): LogLine[] {
  const claims = new Map(journal.claims.map((c) => [c.afterStep, c]));
  const text = filter.text.toLowerCase();
  const found = (n: NoteFact) => n.text.toLowerCase().includes(text) || n.reasoning?.toLowerCase().includes(text);
  const plans = newestPlans(journal.notes, steps);
  const chosen = journal.notes.filter((n) => plans.shows(n) && (text === "" || found(n)));
  const notes = filter.kind !== "" || filter.failedOnly ? [] : chosen;
  const lines: LogLine[] = [];
  let next = 0;
  const notesUpTo = (step: number) => {
    for (let note = notes[next]; note && note.afterStep < step; note = notes[++next]) {
      lines.push({ kind: "note", key: `note-${note.seq}`, note });
    }
  };
  for (const step of steps) {
    notesUpTo(step.n);
    const claim = claims.get(step.n) ?? null;
    if (matchesFilter(step, claim, filter))
      lines.push({ kind: "step", key: `step-${step.n}`, step, claim, plan: plans.of(step.n) });
  }
  notesUpTo(Infinity);
  return lines;
}

function matchesFilter(step: StepRow, claim: ClaimFact | null, f: LogFilter): boolean {
  if (f.kind && kindOf(step.tool) !== f.kind) return false;
  if (f.failedOnly && !isFailed(step, claim)) return false;
  if (!f.text) return true;
  const text = f.text.toLowerCase();
  return [callSentence(step), step.arguments, step.preview, claim?.rationale ?? "", claim?.failed ?? ""].some((s) =>
    s.toLowerCase().includes(text),
  );
}

function isFailed(step: StepRow, claim: ClaimFact | null): boolean {
  return (step.outcome !== "ok" && step.outcome !== "") || (claim?.verdicts.some((v) => v.outcome !== "pass") ?? false);
}

/**
 * The plan after each call that wrote it, which is part of the call's own row, and which notes have a row: of several
 * plans after one step, only the newest.
 */
function newestPlans(notes: readonly NoteFact[], steps: readonly StepRow[]) {
  const newest = new Map(notes.filter((n) => n.kind === "todos" && n.what !== "note").map((n) => [n.afterStep, n]));
  const written = new Set(steps.filter((s) => s.tool === "write_todos").map((s) => s.n));
  return {
    of: (step: number) => (written.has(step) ? (newest.get(step)?.text ?? "") : ""),
    shows: (n: NoteFact) =>
      n.kind !== "todos" || n.what === "note" || (newest.get(n.afterStep) === n && !written.has(n.afterStep)),
  };
}

/** The kinds of calls that a goal has made, for the filter. */
export function kindsOf(steps: readonly StepRow[]): CallKind[] {
  const used = new Set(steps.map((s) => kindOf(s.tool)));
  return (Object.keys(kindLabels) as CallKind[]).filter((k) => used.has(k));
}

/** Formats how many checks of a claim passed: `1 of 2`. */
export function claimSummary(claim: ClaimFact): { passed: number; of: number } {
  return { passed: claim.verdicts.filter((v) => v.outcome === "pass").length, of: claim.verdicts.length };
}
