import type { Draft } from "./draft";
import type { Errors } from "./errors";

export interface AdvancedProps {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  errors: Errors;
}
