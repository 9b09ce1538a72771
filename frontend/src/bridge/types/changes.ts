import type { ProtectedFile } from "./check";

/** The changes of a goal's folder since its start. */
export interface ChangesView {
  goal_id: string;
  dir: string;
  /** Why nothing can be compared, "" if it can. */
  unavailable: string;
  running: boolean;
  /** The step after which the first snapshot was taken; not 0 only for goals older than snapshots. */
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
  /** Lines; -1 if they are not compared. */
  added: number;
  removed: number;
  binary: boolean;
  ignored: boolean;
  edited_since: boolean;
  read_by: string[] | null;
  runs_check: boolean;
  protected: string;
}

/** A file before or after; the type is "" if it did not exist. */
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
  /** Lines of a unified diff, without its header. */
  hunks: string;
  patch: string;
  /** Data URLs; "" if it is not a picture. */
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

/** A preview of committing a goal's changes. */
export interface CommitOffer {
  /** Why they cannot be committed, `""` if they can. */
  unavailable: string;
  /** The proposed name of a new branch. */
  branch: string;
  /** The checked-out branch, `""` if there is none. */
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
  /** Files with uncommitted changes from before the goal; these become part of the commit. */
  mixed: string[] | null;
}
