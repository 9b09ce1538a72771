import type { ProtectedFile } from "./check";

/** What differs in a goal's folder from its start. */
export interface ChangesView {
  goal_id: string;
  dir: string;
  /** Why nothing can be compared, "" if it can be. */
  unavailable: string;
  running: boolean;
  /** The step after which the first snapshot was taken; 0 but for goals that are older than snapshots. */
  from_step: number;
  files: ChangedFile[] | null;
  protected: ProtectedFile[] | null;
  left_out: LeftOutPath[] | null;
  checkpoints: CheckpointView[] | null;
  undone: boolean;
  can_redo: boolean;
  kept_bytes: number;
}

export interface ChangedFile {
  path: string;
  change: string;
  before: FileSide;
  after: FileSide;
  /** Lines; -1 where they are not compared. */
  added: number;
  removed: number;
  binary: boolean;
  ignored: boolean;
  edited_since: boolean;
  read_by: string[] | null;
  runs_check: boolean;
  protected: string;
}

/** A file before or after; the type is "" where it was not there. */
export interface FileSide {
  type: string;
  mode: string;
  size: number;
  sha256: string;
  target: string;
}

export interface LeftOutPath {
  path: string;
  why: string;
}

export interface CheckpointView {
  n: number;
  kind: string;
  step: number;
  at: string;
}

export interface FileDiff extends ChangedFile {
  is_text: boolean;
  was: string;
  is: string;
  /** Of a unified diff, without its head. */
  hunks: string;
  patch: string;
  /** Data URLs, "" of what is no picture. */
  was_image: string;
  is_image: string;
}

export interface UndoInput {
  paths: string[];
  force: string[];
  step: number;
  redo: boolean;
  dry_run: boolean;
}

export interface UndoOutput {
  to: string;
  done: ChangedPath[] | null;
  skipped: SkippedPath[] | null;
  left_out: LeftOutPath[] | null;
  can_redo: boolean;
}

export interface ChangedPath {
  path: string;
  change: string;
}

export interface SkippedPath {
  path: string;
  why: string;
  can_force: boolean;
}

/** How the changes of a goal would be committed. */
export interface CommitOffer {
  /** Why they cannot be committed, `""` if they can. */
  unavailable: string;
  /** A new branch that is proposed. */
  branch: string;
  /** The branch that is checked out, `""` if none is. */
  current: string;
  message: string;
}

export interface CommitInput {
  paths: string[];
  branch: string;
  message: string;
}

export interface CommitOutput {
  commit: string;
  branch: string;
  files: { path: string; change: string }[] | null;
  skipped: { path: string; why: string }[] | null;
  /** Files with changes from before the goal that were not committed: those are part of the commit. */
  mixed: string[] | null;
}
