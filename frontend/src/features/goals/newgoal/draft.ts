import type { Check, GoalView, Problem, Risk, StartInput, TryOutput } from "@/bridge/types";

/** One check as it is being written. */
export interface DraftCheck {
  command: string;
  exitCode: string;
  dir: string;
}

/** The dialog's fields as the person writes them: numbers are still text. */
export interface Draft {
  objective: string;
  checks: DraftCheck[];
  any: boolean;
  risk: Risk;
  dir: string;
  provider: string;
  model: string;
  minutes: string;
  usd: string;
  tokens: string;
  iterations: string;
  claims: string;
  allowTools: string;
  denyTools: string;
  allowHosts: string;
  allowPassing: boolean;
  allowMissing: boolean;
}

export const emptyCheck: DraftCheck = { command: "", exitCode: "0", dir: "" };

export const emptyDraft: Draft = {
  objective: "",
  checks: [emptyCheck],
  any: false,
  risk: "write_local",
  dir: "",
  provider: "",
  model: "",
  minutes: "60",
  usd: "",
  tokens: "",
  iterations: "300",
  claims: "5",
  allowTools: "",
  denyTools: "",
  allowHosts: "",
  allowPassing: false,
  allowMissing: false,
};

/** The fields of the dialog that can carry an error, by the names that Go gives them. */
export type FieldName = "objective" | "criterion" | "risk" | "dir" | "limits" | "provider" | "model";

export interface FieldError {
  message: string;
  hint: string;
}

export type Errors = Partial<Record<FieldName | "form", FieldError>>;

const fieldNames: readonly string[] = ["objective", "criterion", "risk", "dir", "limits", "provider", "model"];

/** Where a refusal is shown: at the field that it names, else above the buttons. */
export function errorsOf(problem: Problem): Errors {
  const field = fieldNames.includes(problem.field) ? (problem.field as FieldName) : "form";
  return { [field]: { message: problem.message, hint: problem.hint } };
}

/** What can be seen to be wrong without asking Go. */
export function validate(d: Draft): Errors {
  const errors: Errors = {};
  if (!d.objective.trim()) {
    errors.objective = { message: "Say in a sentence what should be true at the end", hint: "" };
  }
  if (d.checks.every((c) => !c.command.trim())) {
    errors.criterion = { message: "Write a command that succeeds only when the objective is reached", hint: "" };
  } else if (d.checks.some((c) => c.command.trim() && !/^\d{1,3}$/.test(c.exitCode.trim()))) {
    errors.criterion = { message: "An exit code is a number from 0 to 255", hint: "" };
  }
  const numbers = [d.minutes, d.usd, d.tokens, d.iterations, d.claims];
  if (numbers.some((n) => number(n) === null)) {
    errors.limits = { message: "A limit is a number from 0 on", hint: "leave it empty for no limit" };
  }
  return errors;
}

/** The text as a number from 0 on; empty means 0; null when it is none. */
function number(text: string): number | null {
  const clean = text
    .trim()
    .replace(/^\$/, "")
    .replace(/[ _,](?=\d{3}\b)/g, "");
  if (clean === "") return 0;
  const n = Number(clean);
  return Number.isFinite(n) && n >= 0 ? n : null;
}

const list = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export function checkOf(c: DraftCheck): Check {
  const dir = c.dir.trim();
  return {
    type: "shell",
    command: c.command.trim(),
    exit_code: Number(c.exitCode.trim() || "0"),
    ...(dir ? { dir } : {}),
  };
}

/** In Go, 0 takes the default of these three limits and -1 switches them off; an empty field or a 0 means off. */
const limit = (n: number) => (n === 0 ? -1 : n);

export function toInput(d: Draft): StartInput {
  const minute = 60_000;
  return {
    objective: d.objective.trim(),
    checks: d.checks.filter((c) => c.command.trim()).map(checkOf),
    any: d.any,
    risk: d.risk,
    dir: d.dir.trim(),
    provider: d.provider,
    model: d.model.trim(),
    wall_clock_ms: limit(Math.round((number(d.minutes) ?? 0) * minute)),
    iterations: limit(Math.round(number(d.iterations) ?? 0)),
    claims_per_gate: limit(Math.round(number(d.claims) ?? 0)),
    tokens: Math.round(number(d.tokens) ?? 0),
    usd: number(d.usd) ?? 0,
    allow_tools: list(d.allowTools),
    deny_tools: list(d.denyTools),
    allow_hosts: list(d.allowHosts),
    allow_passing: d.allowPassing,
    allow_missing: d.allowMissing,
  };
}

const shown = (n: number | undefined, fallback: string) => (n === undefined ? fallback : n === 0 ? "" : String(n));

/** The dialog filled from an input, for Duplicate. What the input leaves out is as in an empty draft. */
export function fromInput(i: Partial<StartInput>): Draft {
  const checks = (i.checks ?? []).map((c) => ({
    command: c.command ?? "",
    exitCode: String(c.exit_code ?? 0),
    dir: c.dir ?? "",
  }));
  return {
    ...emptyDraft,
    objective: i.objective ?? "",
    checks: checks.length > 0 ? checks : [emptyCheck],
    any: i.any ?? false,
    risk: i.risk === undefined || i.risk === "" ? "write_local" : i.risk,
    dir: i.dir ?? "",
    provider: i.provider ?? "",
    model: i.model ?? "",
    minutes: shown(i.wall_clock_ms === undefined ? undefined : i.wall_clock_ms / 60_000, emptyDraft.minutes),
    usd: shown(i.usd, ""),
    tokens: shown(i.tokens, ""),
    iterations: shown(i.iterations, emptyDraft.iterations),
    claims: shown(i.claims_per_gate, emptyDraft.claims),
    allowTools: (i.allow_tools ?? []).join(" "),
    denyTools: (i.deny_tools ?? []).join(" "),
    allowHosts: (i.allow_hosts ?? []).join(" "),
  };
}

/** A goal's input, read back from its view. A check's exit code and folder stand only in its words. */
export function draftOf(view: GoalView): Partial<StartInput> {
  const checks = (view.check_states ?? []).map((c): Check => {
    const tail = / exits with (\d+)(?: in (.+))?$/s.exec(c.words);
    return {
      type: "shell",
      command: c.name,
      exit_code: Number(tail?.[1] ?? 0),
      ...(tail?.[2] ? { dir: tail[2] } : {}),
    };
  });
  return {
    objective: view.objective,
    checks,
    any: view.any,
    risk: view.policy.risk,
    dir: view.policy.dir,
    provider: view.provider,
    model: view.model,
    wall_clock_ms: view.wall_clock_ms,
    iterations: view.max_iterations,
    tokens: view.max_tokens,
    usd: view.max_usd,
    allow_tools: view.policy.allow_tools ?? [],
    deny_tools: view.policy.deny_tools ?? [],
    allow_hosts: view.policy.allow_hosts ?? [],
  };
}

/** Which explicit permissions to offer, from what the tries and the refusal said. */
export function ticksFor(tries: readonly (TryOutput | null)[], error: FieldError | undefined) {
  const said = `${error?.message ?? ""} ${error?.hint ?? ""}`.toLowerCase();
  return {
    passing:
      tries.some((t) => t?.outcome === "passes_already") || /pass(es|ing)?[ _-]already|allow[ _-]passing/.test(said),
    missing:
      tries.some((t) => t?.outcome === "cannot_run") ||
      /cannot[ _]run|can't run|allow[ _-]missing|not found/.test(said),
  };
}

const key = "goalpost.new-goal";

/** The draft of last time; it survives closing the dialog and the window. */
export function savedDraft(storage: Pick<Storage, "getItem">): Draft {
  try {
    const parsed: unknown = JSON.parse(storage.getItem(key) ?? "null");
    if (typeof parsed !== "object" || parsed === null) return emptyDraft;
    const draft = { ...emptyDraft, ...(parsed as Partial<Draft>), allowPassing: false, allowMissing: false };
    return Array.isArray(draft.checks) && draft.checks.length > 0 ? draft : { ...draft, checks: [emptyCheck] };
  } catch {
    return emptyDraft;
  }
}

export function saveDraft(storage: Pick<Storage, "setItem" | "removeItem">, draft: Draft | null): void {
  try {
    if (draft) storage.setItem(key, JSON.stringify(draft));
    else storage.removeItem(key);
  } catch {
    // A full or forbidden storage costs the draft and nothing else.
  }
}
