import type { GoalView, StepRow } from "@/bridge/types";
import type { Journal, NoteFact, UsagePoint } from "@/store/journal";

/** A period in which the goal was paused. Its pages were not recorded, including what a user did there. */
export interface PauseInterval {
  from: number;
  to: number;
  /** The note at its end, such as that a page had been taken over. */
  note: string;
}

/** The pauses of a goal in milliseconds since its start; a current pause reaches to the end. */
export function pauseIntervals(notes: readonly NoteFact[], startedAt: string, end: number): PauseInterval[] {
  const start = Date.parse(startedAt);
  const list: PauseInterval[] = [];
  let since: number | null = null;
  for (const n of notes) {
    const at = Date.parse(n.at) - start;
    if (n.kind === "paused") since ??= at;
    if (since === null || (n.kind !== "resumed" && n.kind !== "reopened")) continue;
    list.push({ from: since, to: at, note: n.text });
    since = null;
  }
  if (since !== null && since < end) list.push({ from: since, to: end, note: "" });
  return list;
}

export function pauseAt(list: readonly PauseInterval[], ms: number): PauseInterval | undefined {
  return list.find((g) => ms > g.from && ms < g.to);
}

/** The step at a moment, or the last one before it. */
export function stepAt(steps: readonly StepRow[], ms: number): StepRow | undefined {
  let found: StepRow | undefined;
  for (const s of steps) {
    if (s.at_ms > ms) break;
    found = s;
  }
  return found;
}

/** When the previous and the next step begin. */
export function adjacentSteps(steps: readonly StepRow[], ms: number): { before: number | null; after: number | null } {
  const before = steps.filter((s) => s.at_ms < ms - 1).pop();
  const after = steps.find((s) => s.at_ms > ms + 1);
  return { before: before?.at_ms ?? null, after: after?.at_ms ?? null };
}

/** The spending up to a moment. */
export function spentAt(usage: readonly UsagePoint[], startedAt: string, ms: number): UsagePoint | undefined {
  const until = Date.parse(startedAt) + ms;
  let found: UsagePoint | undefined;
  for (const u of usage) {
    if (u.at > until) break;
    found = u;
  }
  return found;
}

const paneName = /"pane"\s*:\s*"([^"]+)"/;

/** The recorded pane in which the agent worked last: the one that a step names, or that was just opened. */
export function panesUsed<P extends { pane: string; from_ms: number }>(
  panes: readonly P[],
  steps: readonly StepRow[],
  ms: number,
): P | undefined {
  let found = panes.filter((p) => p.from_ms <= ms).pop() ?? panes[0];
  for (let i = steps.length - 1; i >= 0; i--) {
    const step = steps[i];
    if (!step || step.at_ms > ms) continue;
    if (found && step.at_ms < found.from_ms) break;
    const name = paneName.exec(step.arguments)?.[1];
    const named = panes.find((p) => p.pane === name);
    if (!named) continue;
    found = named;
    break;
  }
  return found;
}

/** The duration of the recording. */
export function lengthOf(
  panes: readonly { to_ms: number }[],
  steps: readonly StepRow[],
  view: Pick<GoalView, "marks" | "started_at">,
  journal: Journal,
): number {
  const last = steps[steps.length - 1];
  const start = Date.parse(view.started_at);
  return Math.max(
    1_000,
    ...panes.map((p) => p.to_ms),
    last ? last.at_ms + last.ms : 0,
    ...(view.marks ?? []).map((m) => m.at_ms),
    ...journal.notes.filter((n) => n.kind === "resumed").map((n) => Date.parse(n.at) - start),
  );
}

/** How many moments a summary has at most: each is shown for a quarter of a second then. */
const maxMoments = 40;

/** The moments of a summary: what each step led to, and the end; of many, evenly chosen ones. */
export function summaryMoments(steps: readonly StepRow[], length: number): number[] {
  const all = [...new Set([...steps.map((s) => Math.min(length, s.at_ms + s.ms)), length])].toSorted((a, b) => a - b);
  if (all.length <= maxMoments) return all;
  const last = all.length - 1;
  return Array.from({ length: maxMoments }, (_, i) => all[Math.round((i * last) / (maxMoments - 1))] ?? length);
}
