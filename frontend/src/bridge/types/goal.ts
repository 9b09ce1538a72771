// A goal: its permissions, its status and its steps.
import type { Check } from "./check";
import type { CheckOutcome, Exit, Risk, Status, StepOutcome, Todo } from "./common";
import type { GoalEvent } from "./event";

export interface Policy {
  risk: Risk;
  dir: string;
  allow_tools?: string[];
  deny_tools?: string[];
  allow_hosts?: string[];
  deny_hosts?: string[];
  allow_local?: number[];
  allow_write?: string[];
  allow_read?: string[];
  allow_socket?: string[];
  /** What the agent may change in dir, relative to it; absent: everything. */
  work?: string[];
  /** A folder that only the checks can read. */
  check_dir?: string;
  /** Folders that no program of the goal can read: the check_dir of the goal that started it. */
  hidden?: string[];
  unconfined?: boolean;
  require_steps?: boolean;
  secrets?: string[];
}

/** What the agent sees of a failed check; `""` is full, or exit with a check_dir. */
export type CheckOutput = "" | "exit" | "names" | "full";

/** The supervision of a goal, frozen with its criterion. */
export interface Options {
  /** The external agent that drives it; absent: Goalpost's own loop. */
  engine?: string;
  persona?: string;
  /** How much the model thinks, in its protocol's word; absent: the provider's default. */
  effort?: string;
  critic_every?: number;
  critic_provider?: string;
  judge_provider?: string;
  review?: "" | "always" | "never";
  after?: string[];
  panes?: string[];
  protect?: string[];
  no_protect?: string[];
  on_ask?: string;
  check_output?: CheckOutput;
  allow_passing?: boolean;
  allow_missing?: boolean;
  /** The goal whose agent started this one. */
  parent?: string;
  /** An agent outside this program created it, through MCP. */
  outside?: boolean;
  /** The git worktree that was created for it; absent: it works in the user's folder. */
  worktree?: Worktree;
}

/** A git worktree that was created for one goal. */
export interface Worktree {
  /** The folder that the user chose, in their work tree. */
  folder: string;
  /** The top of the user's work tree. */
  repository: string;
  common_dir: string;
  dir: string;
  branch: string;
  from?: string;
  base: string;
}

/** Whether a goal can work in a new git worktree of a folder's repository. */
export interface WorktreeOffer {
  /** Why not; "" if it can. */
  unavailable: string;
  repository: string;
  from: string;
  commit: string;
  branch: string;
  /** Files whose changes would not be in the worktree. */
  uncommitted: number;
}

export interface WorktreeView {
  path: string;
  repository: string;
  branch: string;
  /** "": the goal was deleted. */
  goal_id: string;
  objective: string;
  uncommitted: number;
  merged: boolean;
  problem: string;
  /** Gets its branch; "" if it has none. */
  merge_command: string;
}

export interface WorktreeRemoval extends WorktreeView {
  /** The commit of its branch; "": it had none. */
  commit: string;
}

export interface StartInput {
  /** Work in a new git worktree of the folder's repository. */
  worktree?: boolean;
  objective: string;
  checks: Check[];
  any: boolean;
  risk: Risk | "";
  dir: string;
  provider: string;
  model: string;
  wall_clock_ms: number;
  iterations: number;
  claims_per_check: number;
  tokens: number;
  usd: number;
  allow_tools: string[];
  deny_tools: string[];
  allow_hosts: string[];
  deny_hosts: string[];
  allow_local: number[];
  allow_write: string[];
  allow_read: string[];
  allow_socket: string[];
  work: string[];
  check_dir: string;
  check_output: CheckOutput;
  run_outside: boolean;
  secrets: string[];
  unconfined: boolean;
  allow_passing: boolean;
  allow_missing: boolean;
  require_steps: boolean;
  /** The engine: an external agent, or "model" for Goalpost's own loop; absent: the setting. */
  engine?: string;
  effort: string;
  persona: string;
  critic_every: number;
  critic_provider: string;
  judge_provider: string;
  review: "" | "always" | "never";
  after: string[];
  panes: string[];
  protect: string[];
  no_protect: string[];
  on_ask: string;
  /** The minimum assurance of a done goal, "" for any. */
  require?: string;
  /** How often in a row a command must pass. */
  runs?: number;
}

/** Accepts and protects changed files as they are, or restores the old versions. */
export type Decision = "" | "accept" | "restore";

/** One version of a protected file, as a `ProtectedChange` shows it. */
export interface ProtectedVersion {
  path: string;
  sha256: string;
}

/** A limit of 0 stays unchanged; -1 is no limit. */
export interface ResumeInput {
  note: string;
  /** The decision about changed protected files; `""` is no decision. */
  protected: Decision;
  wall_clock_ms: number;
  iterations: number;
  claims_per_check: number;
  tokens: number;
  usd: number;
  /** Changed protected files whose shown versions are accepted; the others are restored. */
  accept_changes?: ProtectedVersion[];
  /** Protected files that the agent may change from now on. */
  unprotect?: string[];
}

export interface PruneInput {
  status: "" | "completed" | "failed" | "aborted";
  older_than_ms: number;
}

export interface PruneOutput {
  goals: number;
}

export interface StartOutput {
  goal_id: string;
}

export interface StatusOutput {
  status: Status;
  exit: Exit;
  step: number;
  last_step: string;
}

export interface GoalCard {
  id: string;
  objective: string;
  /** Its folder; with a git worktree, the one that the user chose. */
  dir: string;
  status: Status;
  exit: Exit;
  reason: string;
  verified: boolean;
  judged: boolean;
  scripted: boolean;
  created_at: string;
  started_at: string;
  ended_at: string;
  spent_ms: number;
  steps: number;
  iterations: number;
  checks_passed: number;
  checks: number;
  tokens_in: number;
  tokens_out: number;
  usd: number;
  parked_until: string;
  /** What it waits for in the queue, whatever its status; "" if it does not wait. */
  queued: string;
  /** The process that runs it or waits with it, 0 for none; in_other_process: not this one. */
  pid: number;
  in_other_process: boolean;
  seq: number;
  activity: number[] | null;
  /** Calls that wait for the user's answer. */
  asks?: number;
  /** What a done goal proves: strong, shared, judged or claimed; and the same in words. */
  assurance?: string;
  assurance_words?: string;
}

export interface CheckState {
  type: string;
  name: string;
  words: string;
  outcome: CheckOutcome;
  detail: string;
  tail: string;
  ms: number;
  claim: number;
}

export interface TimelineEntry {
  at_ms: number;
  what: string;
  detail: string;
  claim: number;
  step: number;
}

export interface GoalView extends GoalCard {
  /** The branch of its git worktree; absent: it has none. */
  merge_command?: string;
  criterion_sha256: string;
  any: boolean;
  check_states: CheckState[] | null;
  policy: Policy;
  provider: string;
  model: string;
  wall_clock_ms: number;
  max_iterations: number;
  max_claims: number;
  max_tokens: number;
  max_usd: number;
  report: string[] | null;
  account: string;
  result?: string;
  criterion: Check[] | null;
  /** Why it proves less than a strong goal. */
  assurance_reason?: string;
  require?: string;
  options: Options;
  reviewed: boolean;
  waits: boolean;
  /** It is paused because protected files changed. */
  tampered: boolean;
  /** Where the user should do what the agent asked for, "" if nowhere. */
  asked_pane: string;
  todos: Todo[] | null;
  panes: string[] | null;
  marks: TimelineEntry[] | null;
}

export interface StepRow {
  n: number;
  at_ms: number;
  tool: string;
  arguments: string;
  outcome: StepOutcome;
  ms: number;
  preview: string;
  image_sha256: string;
  effect: string;
}

export interface StepView extends StepRow {
  result: string;
  image: string;
  /** Where the step acted on the page in the image, in CSS pixels of the page. */
  click?: { x: number; y: number; width: number; height: number };
}

/** Selects a part of a transcript: entries that contain a text, `""` for all. */
export interface TranscriptInput {
  search: string;
  offset: number;
  limit: number;
}

export type TranscriptKind =
  | "agent"
  | "host"
  | "step"
  | "plan"
  | "critic"
  | "review"
  | "claim"
  | "check"
  | "approval"
  | "note"
  | "warning"
  | "status"
  | "usage";

/** One message or call. Its texts come from models, pages and programs. */
export interface TranscriptEntry {
  seq: number;
  at_ms: number;
  kind: TranscriptKind;
  title: string;
  /** For a step, its result. */
  text: string;
  reasoning?: string;
  turn: number;
  step?: number;
  tool?: string;
  arguments?: string;
  outcome?: string;
  preview?: string;
  picture?: boolean;
  ms?: number;
  tokens_in?: number;
  tokens_out?: number;
  usd?: number;
  guessed?: boolean;
}

export interface TranscriptPage {
  entries: TranscriptEntry[] | null;
  total: number;
}

export interface StepPage {
  steps: StepRow[] | null;
  total: number;
  seq: number;
}

export interface ListInput {
  status: string;
  search: string;
  limit: number;
  offset: number;
  resumable: boolean;
}

export interface GoalList {
  goals: GoalCard[] | null;
  total: number;
  counts: Record<string, number> | null;
}

export interface EventPage {
  events: GoalEvent[] | null;
  more: boolean;
}
