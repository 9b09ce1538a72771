// Types that goals, checks and events share.

export type Risk = "read_only" | "write_local" | "network_get" | "network_write" | "spends_money";

export type Status = "pending" | "running" | "paused" | "completed" | "failed" | "aborted";

export type Exit =
  | ""
  | "done"
  | "limit_reached"
  | "error"
  | "stuck"
  | "needs_user"
  | "parked"
  | "daily_limit"
  | "user_paused"
  | "interrupted"
  | "user_aborted"
  | "gave_up";

export type CriticVerdict = "PROGRESSING" | "STUCK" | "ACHIEVED" | "MISLED" | "unparsed";

export type StepOutcome = "" | "ok" | "failed" | "denied" | "in_doubt";

export type CheckOutcome =
  "" | "pass" | "fail" | "error" | "tampered" | "passes_already" | "fails_now" | "cannot_run" | "not_repeatable";

export interface Usage {
  tokens_in: number;
  tokens_out: number;
  usd: number;
  /** Estimated from the length of the text, because the provider reported no usage. */
  guessed?: boolean;
}

export interface Todo {
  text: string;
  done: boolean;
}
