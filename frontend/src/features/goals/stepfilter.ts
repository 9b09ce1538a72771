import type { StepRow } from "@/bridge/types";
import type { ClaimFact, Journal, NoteFact } from "@/store/journal";

/** A row of the step log. A claim is below the step that made it. */
export type LogLine =
  { kind: "step"; key: string; step: StepRow; claim: ClaimFact | null } | { kind: "note"; key: string; note: NoteFact };

export interface LogFilter {
  tool: string;
  failedOnly: boolean;
  text: string;
}

export const noFilter: LogFilter = { tool: "", failedOnly: false, text: "" };

/**
 * The activity of a goal: its steps, with claims and notes in between. A filter by tool or by failure hides the
 * notes; a text filter keeps those that contain the text.
 */
export function logLines(steps: readonly StepRow[], journal: Journal, filter: LogFilter): LogLine[] {
  const claims = new Map(journal.claims.map((c) => [c.afterStep, c]));
  const text = filter.text.toLowerCase();
  const found = (n: NoteFact) => n.text.toLowerCase().includes(text) || n.reasoning?.toLowerCase().includes(text);
  const chosen = text === "" ? journal.notes : journal.notes.filter(found);
  const notes = filter.tool !== "" || filter.failedOnly ? [] : chosen;
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
    if (matchesFilter(step, claim, filter)) lines.push({ kind: "step", key: `step-${step.n}`, step, claim });
  }
  notesUpTo(Infinity);
  return lines;
}

function matchesFilter(step: StepRow, claim: ClaimFact | null, f: LogFilter): boolean {
  if (f.tool && step.tool !== f.tool) return false;
  if (f.failedOnly && !isFailed(step, claim)) return false;
  if (!f.text) return true;
  const text = f.text.toLowerCase();
  return [step.tool, step.arguments, step.preview, claim?.rationale ?? "", claim?.failed ?? ""].some((s) =>
    s.toLowerCase().includes(text),
  );
}

function isFailed(step: StepRow, claim: ClaimFact | null): boolean {
  return (step.outcome !== "ok" && step.outcome !== "") || (claim?.verdicts.some((v) => v.outcome !== "pass") ?? false);
}

/** The tools that a goal has used, for the filter. */
export function toolsOf(steps: readonly StepRow[]): string[] {
  return [...new Set(steps.map((s) => s.tool))].sort();
}

/** Formats how many checks of a claim passed: `1 of 2`. */
export function claimSummary(claim: ClaimFact): { passed: number; of: number } {
  return { passed: claim.verdicts.filter((v) => v.outcome === "pass").length, of: claim.verdicts.length };
}
