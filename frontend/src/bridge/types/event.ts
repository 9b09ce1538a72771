// A goal's events.
import type { Verdict } from "./check";
import type { CriticVerdict, Exit, Risk, Status, StepOutcome, Todo, Usage } from "./common";
import type { PaneInfo } from "./pane";

/** A model's thinking: its text, or items in the provider's format, which may be encrypted. */
export interface ReasoningEvent {
  text?: string;
  items?: unknown[];
}

/** The bodies of a goal's events, by type. */
interface Bodies {
  created: {
    objective: string;
    criterion: string;
    dir: string;
    risk: Risk;
    provider: string;
    model: string;
    effort?: string;
    scripted: boolean;
  };
  queued: { reason: string; left?: "user_aborted" | "user_paused" | "interrupted"; by?: string };
  started: object;
  reopened: { note: string };
  limits_changed: { wall_clock_ms: number; iterations: number; claims_per_check: number; tokens: number; usd: number };
  iteration: { n: number };
  message: { message: { role: string; text: string; step?: number; reasoning?: ReasoningEvent } };
  step_started: { step_id: number; tool: string; arguments: string; effect: { risk?: string; control?: boolean } };
  step: {
    step_id: number;
    tool: string;
    outcome: StepOutcome;
    ms: number;
    preview: string;
    image_sha256?: string;
    point?: { words?: string; x: number; y: number; at: string };
  };
  todos: { items: Todo[] | null };
  critic: { verdict: CriticVerdict; reason: string; reply?: string; step: number };
  approval_requested: { request: string; step_id: number; tool: string; arguments: string; why: string };
  approval_resolved: { request: string; allowed: boolean; why?: string; by: string };
  grant_ended: { request: string; why: string };
  claim: { n: number; rationale: string; result?: string; by?: string };
  review: { claim: number; confirmed: boolean; reason: string; reply?: string; error?: boolean; usage?: Usage };
  verdict: Verdict & { claim: number };
  verification_failed: { claim: number; detail: string };
  usage: Usage & { by?: string };
  steered: { text: string; from?: string };
  lease: { pane: string; kind: PaneInfo["kind"]; held: boolean; shared?: boolean };
  warning: { what: string; text: string };
  paused: {
    exit: Exit;
    reason: string;
    report: string[] | null;
    account?: string;
    until?: string;
    pane?: string;
    by?: string;
  };
  resumed: { note?: string };
  ended: {
    status: Status;
    exit: Exit;
    verified: boolean;
    judged?: boolean;
    assurance?: string;
    report: string[] | null;
    account?: string;
    by?: string;
    result?: string;
  };
  changes_undone: { to: string; count: number; files: string[] | null; skipped?: number; redo?: boolean };
  delta: { text: string; reasoning?: string };
  egress: {
    from: string;
    method: string;
    host: string;
    port?: string;
    allowed: boolean;
    more?: boolean;
    times?: number;
  };
}

interface Head {
  goal_id: string;
  run_id?: string;
  /** Absent on events that are not in the journal. */
  seq?: number;
  at: string;
}

/** One flat object for each event of a goal. */
export type GoalEvent = { [K in keyof Bodies]: Head & { type: K } & Bodies[K] }[keyof Bodies];
