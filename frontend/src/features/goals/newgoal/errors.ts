import type { Problem, TryOutput } from "@/bridge/types";
import type { Draft } from "./draft";
import { checkError, isFilled } from "./draftcheck";
import { patterns, toInput } from "./input";
import { number } from "./number";

/** The advanced fields that can have an error, by Go's names. */
export const advancedFields = [
  "sandbox",
  "secrets",
  "allow_local",
  "allow_write",
  "allow_read",
  "check_dir",
  "check_output",
  "allow_socket",
  "allow_hosts",
  "critic_every",
  "critic",
  "judge",
  "review",
  "persona",
  "on_ask",
  "after",
  "panes",
  "protect",
] as const;

/** All fields that can have an error. */
const fieldNames = [
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
  "worktree",
  ...advancedFields,
] as const;

export type FieldName = (typeof fieldNames)[number];

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
  if (toInput(d).checks.some((c) => c.where === "host") && !d.runOutside) {
    errors.run_outside = { message: "Confirm this, or run the checks in the sandbox", hint: "" };
  }
  if (number(d.criticEvery) === null) {
    errors.critic_every = { message: "Enter a number of turns, or leave empty for no critic", hint: "" };
  }
  if (patterns(d.allowLocal).some((p) => !/^\d{1,5}$/.test(p))) {
    errors.allow_local = { message: "Enter port numbers", hint: "for example 5432 8080" };
  }
  const numbers = [d.minutes, d.usd, d.tokens, d.iterations, d.claims];
  if (numbers.some((n) => number(n) === null)) {
    errors.limits = { message: "Enter a number, 0 or more", hint: "leave it empty for no limit" };
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
