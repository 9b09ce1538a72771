// What decides a goal.
import type { CheckOutcome, Exit, Risk, Status, Usage } from "./common";
import type { Worktree } from "./goal";

export type CheckType = "shell" | "http" | "file" | "json_predicate" | "visual" | "model_question" | "manual";

export interface Check {
  type: CheckType;
  timeout_ms?: number;
  command?: string;
  exit_code?: number;
  dir?: string;
  where?: string;
  url?: string;
  method?: string;
  status?: number;
  body_contains?: string;
  predicate?: string;
  path?: string;
  absent?: boolean;
  min_size?: number;
  sha256?: string;
  matches?: string;
  expr?: string;
  from?: "" | "claim" | "file" | "command" | "url";
  question?: string;
  threshold?: "" | "yes" | "high_confidence";
  pane?: string;
  note?: string;
  wait?: boolean;
}

export interface Verdict {
  check: number;
  check_type?: CheckType;
  name: string;
  outcome: CheckOutcome;
  detail: string;
  tail?: string;
  reply?: string;
  evidence?: string;
  bytes?: number;
  exit_code: number;
  tries?: number;
  tests?: number;
  fewer?: number;
  /** How much a pass proves, and why not more: strong, shared, judged or claimed. */
  assurance?: string;
  assurance_reason?: string;
  /** Whether its file accesses were observed: yes, no or partly. */
  observed?: string;
  /** Used files that are new or changed; those with a reason make the verdict tampered. */
  changes?: FileChange[];
  /** A hash of the goal's folder when the criterion passed; only in the last verdict. */
  tree?: string;
  usage?: Usage;
  ms: number;
}

export interface FileChange {
  path: string;
  role: string;
  change: string;
  by?: string;
  reason?: string;
  sha256?: string;
}

export interface ProtectInput {
  dir: string;
  checks: Check[];
  protect: string[];
  no_protect: string[];
}

/** A file that decides and that the agent may not change. */
export interface ProtectedFile {
  path: string;
  kind: "held" | "compared" | "appears";
  part: string;
  why: string;
}

/** A changed protected file of a stopped goal. */
export interface ProtectedChange {
  path: string;
  why: string;
  diff: string;
  sha256: string;
  /** It was not shown when the goal paused, so the goal continues only after a decision. */
  undecided: boolean;
}

export interface ProtectedState {
  files: ProtectedFile[] | null;
  changes: ProtectedChange[] | null;
}

/** An entry of the journal about protected files. */
export interface ProtectedRecord {
  at: string;
  text: string;
}

export interface RecheckOutput {
  verdicts: Verdict[] | null;
  passed: boolean;
  open: boolean;
  faults: string[] | null;
  /** The folder no longer contains what was verified. */
  tree_changed?: boolean;
}

/** The proposals in a folder's .goalpost/done.yaml. */
export interface ProposalView {
  path: string;
  text: string;
  checks: Check[] | null;
  any: boolean;
  words: string;
  /** Hosts that its checks could then contact. */
  hosts: string[] | null;
}

export interface TryInput {
  check: Check;
  dir: string;
  risk: Risk | "";
  allow_hosts: string[];
  deny_hosts: string[];
  allow_local: number[];
  allow_write: string[];
  allow_read: string[];
  allow_socket: string[];
  check_dir: string;
  unconfined: boolean;
  protect: string[];
  no_protect: string[];
}

export interface TryOutput {
  /** `error`: the check ends differently on the same files. */
  outcome: CheckOutcome;
  detail: string;
  output: string;
  exit_code: number;
  ms: number;
  /** The files that the check used; absent if it runs no program. */
  trace?: TraceView;
}

/** The files that a check used, as observed; paths are relative to the folder. */
export interface TraceView {
  /** These decide how the check ends, and are protected. */
  decides: TracedFiles;
  /** Looked for but not found. */
  missing: TracedFiles;
  /** All other files that it read. */
  read: TracedFiles;
  written: TracedFiles;
  /** What was missing when the check ended early; absent if unknown. */
  stopped?: string;
  /** Why uses are missing from the lists; absent if none are. */
  incomplete?: string;
  /** The paths that the agent can be limited to; absent if the trace does not show them. */
  work?: string[];
}

/** The beginning of a list of files. */
export interface TracedFiles {
  files: TracedFile[];
  /** Length of the whole list. */
  total: number;
}

export interface TracedFile {
  path: string;
  /** Its role, or why it decides. */
  why: string;
  /** The program that used it. */
  by: string;
}

export interface ReceiptClaim {
  n: number;
  at: string;
  by: string;
  rationale: string;
  result: string;
  deciding: boolean;
  verdicts: Verdict[] | null;
  review: "" | "confirmed" | "rejected" | "error";
  review_reason: string;
}

export interface ReceiptView {
  goal_id: string;
  objective: string;
  criterion: string;
  criterion_sha256: string;
  policy_sha256: string;
  /** What the agent could change in the folder; none: everything. */
  work?: string[];
  /** Only the checks can read it; absent: none. */
  check_dir?: string;
  worktree?: Worktree;
  merge_command?: string;
  status: Status;
  exit: Exit;
  verified: boolean;
  judged: boolean;
  assurance?: string;
  /** The same in words, and why it is not strong. */
  assurance_words?: string;
  assurance_reason?: string;
  reviewed: boolean;
  model: string;
  effort: string;
  scripted: boolean;
  result?: string;
  report: string[] | null;
  claims: ReceiptClaim[] | null;
  protected?: ProtectedRecord[];
}
