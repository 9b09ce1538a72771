import type { CheckState, GoalEvent, GoalView, TimelineEntry, Problem, StepPage, StepRow } from "@/bridge/types";
import { cardAfterEvent } from "./goalcards";
import { emptyJournal, withFact, withFacts, type Journal } from "./journal";

/**
 * The selected goal. It consists of three snapshots (view, steps, journal), each
 * with the seq at which it was taken; an event is applied to every part that
 * is older than it.
 */
export interface DetailState {
  id: string;
  problem: Problem | null;
  view: GoalView | null;
  /** Local time at which the view's snapshot arrived. */
  asOf: number;
  /** Oldest first; index i holds step i+1 unless steps are still being loaded. */
  steps: readonly StepRow[];
  stepsSeq: number;
  stepsLoaded: boolean;
  journal: Journal;
  journalLoaded: boolean;
  /** Events that arrived while a snapshot was being loaded. */
  early: readonly GoalEvent[];
  /** Number of network requests reported since the goal was opened. */
  requests: number;
  /** An event was missed: the snapshots must be loaded again. */
  gap: boolean;
}

export function emptyDetail(id: string): DetailState {
  return {
    id,
    problem: null,
    view: null,
    asOf: 0,
    steps: [],
    stepsSeq: 0,
    stepsLoaded: false,
    journal: emptyJournal,
    journalLoaded: false,
    early: [],
    requests: 0,
    gap: false,
  };
}

const maxEarlyEvents = 5_000;

export function withView(d: DetailState, view: GoalView, now: number): DetailState {
  if (d.view && d.view.seq > view.seq) return d;
  return replay({ ...d, view, asOf: now, problem: null });
}

export function withSteps(d: DetailState, page: StepPage, last: boolean): DetailState {
  const rows = mergeSteps(d.steps, page.steps ?? []);
  return replay({
    ...d,
    steps: rows,
    stepsSeq: d.stepsLoaded ? d.stepsSeq : page.seq,
    stepsLoaded: d.stepsLoaded || last,
  });
}

export function withJournalPage(d: DetailState, events: readonly GoalEvent[], last: boolean): DetailState {
  return replay({ ...d, journal: withFacts(d.journal, events), journalLoaded: d.journalLoaded || last });
}

/** Applies an event, or queues it while snapshots are being loaded. */
export function withGoalEvent(d: DetailState, event: GoalEvent): DetailState {
  if (event.goal_id !== d.id) return d;
  if (event.type === "egress") return { ...d, requests: d.requests + 1 };
  if (event.seq === undefined) return d;
  if (!d.view || !d.stepsLoaded || !d.journalLoaded) {
    if (d.early.length >= maxEarlyEvents) return { ...d, gap: true };
    return { ...d, early: [...d.early, event] };
  }
  return apply(d, event);
}

/** After the last snapshot, the queued events follow in order. */
function replay(d: DetailState): DetailState {
  if (!d.view || !d.stepsLoaded || !d.journalLoaded || d.early.length === 0) return d;
  return d.early.reduce(apply, { ...d, early: [] });
}

function apply(d: DetailState, event: GoalEvent): DetailState {
  const seq = event.seq ?? 0;
  const view = d.view;
  if (!view) return d;
  const oldest = Math.min(view.seq, d.stepsSeq, d.journal.seq);
  if (seq > oldest + 1) return { ...d, gap: true };
  if (seq <= oldest) return d;
  const next: DetailState = { ...d };
  if (seq > view.seq) next.view = viewAfter(view, event);
  if (seq > d.stepsSeq) {
    next.steps = stepsAfter(d.steps, event, view.started_at);
    next.stepsSeq = seq;
  }
  if (seq > d.journal.seq) next.journal = withFact(d.journal, event);
  return next;
}

function viewAfter(view: GoalView, event: GoalEvent): GoalView {
  const next = cardAfterEvent(view, event);
  switch (event.type) {
    case "verdict":
      next.check_states = (view.check_states ?? []).map((c, i) => (i === event.check ? checkAfter(c, event) : c));
      break;
    case "verification_failed":
      next.marks = withTimelineEntry(view, event.at, { what: "verify:fail", detail: event.detail, claim: event.claim });
      break;
    case "critic":
      next.marks = withTimelineEntry(view, event.at, {
        what: `critic:${event.verdict.toLowerCase()}`,
        detail: event.reason,
        step: event.step,
      });
      break;
    case "review":
      next.marks = withTimelineEntry(view, event.at, {
        what: `review:${reviewLabel(event)}`,
        detail: event.reason,
        claim: event.claim,
      });
      break;
    case "todos":
      next.todos = event.items;
      next.notes = event.notes ?? [];
      break;
    case "model_changed":
      next.provider = event.provider;
      next.model = event.model;
      next.options = { ...next.options, fallbacks: event.fallbacks ?? [] };
      break;
    case "limits_changed":
      next.wall_clock_ms = event.wall_clock_ms;
      next.max_iterations = event.iterations;
      next.max_claims = event.claims_per_check;
      next.max_tokens = event.tokens;
      next.max_usd = event.usd;
      break;
    case "resumed":
    case "reopened":
      next.report = [];
      next.account = "";
      next.result = "";
      next.waits = false;
      next.asked_pane = "";
      break;
    case "ended":
      next.report = event.report;
      next.account = event.account ?? "";
      next.result = event.result ?? "";
      next.panes = [];
      break;
    case "paused":
      next.report = event.report;
      next.account = event.account ?? "";
      next.asked_pane = event.pane ?? "";
      break;
    case "lease":
      next.panes = [...(view.panes ?? []).filter((p) => p !== event.pane), ...(event.held ? [event.pane] : [])];
      break;
    default:
      break;
  }
  return next;
}

function checkAfter(c: CheckState, v: Extract<GoalEvent, { type: "verdict" }>): CheckState {
  const { type, name, words } = c; // what the pass proves comes with the next snapshot
  return { type, name, words, outcome: v.outcome, detail: v.detail, tail: v.tail ?? "", ms: v.ms, claim: v.claim };
}

/** Appends a mark. */
function withTimelineEntry(
  view: GoalView,
  at: string,
  m: Partial<TimelineEntry> & Pick<TimelineEntry, "what" | "detail">,
): TimelineEntry[] {
  return [...(view.marks ?? []), { at_ms: sinceStart(view.started_at, at), claim: 0, step: 0, ...m }];
}

/** Go's word for the result of a review. */
export function reviewLabel(r: { confirmed: boolean; error?: boolean }): "confirmed" | "rejected" | "error" {
  if (r.error) return "error";
  return r.confirmed ? "confirmed" : "rejected";
}

function sinceStart(startedAt: string, at: string): number {
  const ms = Date.parse(at) - Date.parse(startedAt);
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

function stepsAfter(steps: readonly StepRow[], event: GoalEvent, startedAt: string): readonly StepRow[] {
  if (event.type === "step_started") {
    const row: StepRow = {
      n: event.step_id,
      at_ms: sinceStart(startedAt, event.at),
      tool: event.tool,
      arguments: event.arguments.slice(0, 2_000),
      outcome: "",
      ms: 0,
      preview: "",
      image_sha256: "",
      effect: event.effect.risk,
    };
    return mergeSteps(steps, [row]);
  }
  if (event.type !== "step") return steps;
  return steps.map((s) =>
    s.n === event.step_id
      ? { ...s, outcome: event.outcome, ms: event.ms, preview: event.preview, image_sha256: event.image_sha256 ?? "" }
      : s,
  );
}

/** Merges both lists by step number; the newer row wins. */
function mergeSteps(old: readonly StepRow[], fresh: readonly StepRow[]): readonly StepRow[] {
  const last = old[old.length - 1];
  const first = fresh[0];
  if (!last || !first) return last ? old : fresh;
  if (first.n > last.n) return [...old, ...fresh];
  const byN = new Map(old.map((s) => [s.n, s]));
  for (const s of fresh) byN.set(s.n, s);
  return [...byN.values()].sort((a, b) => a.n - b.n);
}
