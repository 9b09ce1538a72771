// Checks that are suggested for a goal.
import type { Check } from "./check";

export interface SuggestInput {
  objective: string;
  /** "": a new folder. */
  dir: string;
  /** "": the default provider, with its model. */
  provider: string;
  model: string;
  /** Do not ask a model. */
  no_model: boolean;
}

export interface SuggestedCheck {
  check: Check;
  reason: string;
  from: "objective" | "folder" | "server" | "model";
  /** Ports of this computer that the goal needs access to. */
  allow_local: number[];
}

export interface SuggestOutput {
  checks: SuggestedCheck[];
  /** What was not examined, and why. */
  notes: string[];
}
