// The cost of models.

export type SpendBy = "day" | "goal" | "provider" | "model";

export interface SpendInput {
  by: SpendBy;
  /** RFC 3339; "": all time. */
  since: string;
}

export interface SpendRow {
  /** A date such as 2026-11-23, the id of a goal, a provider or a model; "" if unknown. */
  key: string;
  /** The objective of a goal; "" if it was deleted. */
  label: string;
  /** 0 if no price is known. */
  usd: number;
  turns: number;
  tokens_in: number;
  tokens_out: number;
}

export interface SpendToday {
  usd: number;
  /** For all goals together; 0: no limit. */
  limit_usd: number;
  /** When the next day begins. */
  resets_at: string;
}

export interface SpendReport {
  by: SpendBy;
  since: string;
  rows: SpendRow[];
  total: SpendRow;
  today: SpendToday;
}
