/** A goal of the Launch several dialog while the user writes it. */
export interface LaunchRow {
  id: number;
  objective: string;
  /** The command that exits with 0 when the goal is done. */
  command: string;
  dir: string;
  isStarting: boolean;
  /** Why it did not start. */
  error: string;
}
