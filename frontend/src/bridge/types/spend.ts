// What models cost.

export type SpendBy = "day" | "goal" | "provider" | "model";

export interface SpendInput {
  by: SpendBy;
  /** RFC 3339; "": always. */
  since: string;
}

export interface SpendRow {
  /** A date such as 2026-11-23, the id of a goal, a provider or a model; "" where it is not known. */
  key: string;
  /** The objective of a goal; "" if it was deleted. */
  label: string;
  /** 0 where no price is known. */
  usd: number;
  turns: number;
  tokens_in: number;
  tokens_out: number;
}

export interface SpendToday {
  usd: number;
  /** Of all goals together; 0: no limit. */
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
