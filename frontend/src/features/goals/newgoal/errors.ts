import type { GoalRequest, Problem } from "@/bridge/types";
import type { Draft } from "./draft";
import { checkError, isFilled } from "./draftcheck";
import { toInput } from "./input";
import { accessFields, limitFields } from "./linefields";

/** What an error can be about, by Go's names: fields of the request, and names for several of them. */
export type FieldName = Exclude<keyof GoalRequest, "checks"> | "criterion" | "limits" | "sandbox";

/** The part of the dialog in which a field is: a word of the sentence, or the other options. */
export type Panel = "" | "risk" | "persona" | "model" | "limits" | "options";

/** The fields that have an error of their own, by where they are. */
const fieldsOf: Record<Panel, readonly FieldName[]> = {
  "": ["objective", "attached", "criterion", "dir", "run_outside", "new_worktree"],
  risk: ["risk", "work"],
  persona: ["persona"],
  model: ["provider", "model", "effort", "engine", "engine_login"],
  limits: ["limits"],
  options: [
    ...[...limitFields, ...accessFields].map((f) => f.name),
    "sandbox",
    "secrets",
    "check_dir",
    "check_output",
    "critic_every",
    "critic",
    "judge",
    "review",
    "on_ask",
    "after",
    "panes",
  ],
};

const panels = ["risk", "persona", "model", "limits", "options"] as const;
const fieldNames = Object.values(fieldsOf).flat();

/** Returns the part of the dialog that has to be open, so that the user sees the first error. */
export const panelOf = (errors: Errors): Panel =>
  panels.find((panel) => fieldsOf[panel].some((name) => errors[name])) ?? "";

export interface FieldError {
  message: string;
  hint: string;
  /** Go's code of the error, for the button that the window offers. */
  code?: string;
}

export type Errors = Partial<Record<FieldName | "form", FieldError>>;

/** Where an error is shown: at the field that it names, otherwise above the buttons. */
export function errorsOf(problem: Problem): Errors {
  const field = fieldNames.find((name) => name === problem.field) ?? "form";
  return { [field]: { message: problem.message, hint: problem.hint, code: problem.code } };
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
    errors.criterion = { message: "Tick or add a check that passes only when the objective is reached", hint: "" };
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
