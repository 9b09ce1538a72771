import type { GoalRequest, Problem, TryOutput } from "@/bridge/types";
import type { Draft } from "./draft";
import { checkError, isFilled } from "./draftcheck";
import { toInput } from "./input";
import { accessFields, limitFields } from "./linefields";

/** What an error can be about, by Go's names: fields of the request, and names for several of them. */
export type FieldName = Exclude<keyof GoalRequest, "checks"> | "criterion" | "limits" | "sandbox";

/** The advanced fields that can have an error. */
export const advancedFields: readonly FieldName[] = [
  ...[...limitFields, ...accessFields].map((f) => f.name),
  "sandbox",
  "secrets",
  "check_dir",
  "check_output",
  "critic_every",
  "critic",
  "judge",
  "review",
  "persona",
  "on_ask",
  "after",
  "panes",
];

/** All fields that can have an error. */
const fieldNames: readonly FieldName[] = [
  "objective",
  "criterion",
  "risk",
  "dir",
  "work",
  "run_outside",
  "limits",
  "provider",
  "model",
  "effort",
  "engine",
  "new_worktree",
  ...advancedFields,
];

export interface FieldError {
  message: string;
  hint: string;
}

export type Errors = Partial<Record<FieldName | "form", FieldError>>;

/** Where an error is shown: at the field that it names, otherwise above the buttons. */
export function errorsOf(problem: Problem): Errors {
  const field = fieldNames.find((name) => name === problem.field) ?? "form";
  return { [field]: { message: problem.message, hint: problem.hint } };
}

/** The limits beside the folder, which have one error together. */
const limitNames: ReadonlySet<string> = new Set(["wall_clock_ms", "usd"]);

const invalidErrors: Errors = {
  critic_every: { message: "Enter a number of turns, or leave empty for no critic", hint: "" },
  allow_local: { message: "Enter port numbers", hint: "for example 5432 8080" },
  limits: { message: "Enter a number, 0 or more", hint: "leave it empty for no limit" },
};

/** Finds errors without asking Go. */
export function validate(d: Draft): Errors {
  const errors: Errors = {};
  if (!d.objective.trim()) {
    errors.objective = { message: "Describe in a sentence what should be true at the end", hint: "" };
  }
  const written = d.checks.filter((c) => isFilled(c));
  const wrong = written.map(checkError).find((e) => e !== "");
  if (written.length === 0) {
    errors.criterion = { message: "Add a check that passes only when the objective is reached", hint: "" };
  } else if (wrong) {
    errors.criterion = { message: wrong, hint: "" };
  }
  if (toInput(d).checks.some((c) => c.where === "host") && !d.run_outside) {
    errors.run_outside = { message: "Confirm this, or run the checks in the sandbox", hint: "" };
  }
  for (const name of Object.keys(d.invalid) as (keyof typeof d.invalid)[]) {
    const field = limitNames.has(name) ? "limits" : name;
    errors[field] = invalidErrors[field] ?? { message: "Enter a number, 0 or more", hint: "" };
  }
  return errors;
}

/** Returns the explicit confirmations to offer, from the results of the tries and the refusal. */
export function overridesFor(tries: readonly (TryOutput | null)[], error: FieldError | undefined) {
  const said = `${error?.message ?? ""} ${error?.hint ?? ""}`.toLowerCase();
  return {
    passing: tries.some((t) => t?.outcome === "passes_already") || /pass(es|ing)?[ _-]already|allow passing/.test(said),
    missing:
      tries.some((t) => t?.outcome === "cannot_run") || /cannot[ _]run|can't run|allow missing|not found/.test(said),
  };
}
