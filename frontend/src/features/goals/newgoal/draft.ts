import type { Check, CheckType, GoalView, Problem, Risk, StartInput, TryInput, TryOutput } from "@/bridge/types";

/** One check as it is being written: the fields of every type, so that none is lost when the type changes. */
export interface DraftCheck {
  type: CheckType;
  command: string;
  exitCode: string;
  dir: string;
  /** shell: `""` in the sandbox, `host`, `ssh:NAME`. */
  where: string;
  url: string;
  method: string;
  status: string;
  contains: string;
  predicate: string;
  path: string;
  absent: boolean;
  minSize: string;
  sha256: string;
  matches: string;
  expr: string;
  from: "claim" | "file" | "command" | "url";
  question: string;
  twice: boolean;
  note: string;
  wait: boolean;
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
  denyHosts: string;
  allowLocal: string;
  secrets: string[];
  unconfined: boolean;
  allowPassing: boolean;
  allowMissing: boolean;
  requireSteps: boolean;
  criticEvery: string;
  criticProvider: string;
  judgeProvider: string;
  review: "" | "always" | "never";
  /** Who works; `""` is the engineer. */
  persona: string;
  /** How much the model thinks; `""` is the provider's own. */
  effort: string;
  /** What an approval does with nobody there; `""` parks the goal. */
  onAsk: "" | "deny" | "allow";
  after: string[];
  panes: string[];
  protect: string;
  noProtect: string;
}

export const emptyCheck: DraftCheck = {
  type: "shell",
  command: "",
  exitCode: "0",
  dir: "",
  where: "",
  url: "",
  method: "",
  status: "200",
  contains: "",
  predicate: "",
  path: "",
  absent: false,
  minSize: "",
  sha256: "",
  matches: "",
  expr: "",
  from: "claim",
  question: "",
  twice: false,
  note: "",
  wait: false,
};

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
  denyHosts: "",
  allowLocal: "",
  secrets: [],
  unconfined: false,
  allowPassing: false,
  allowMissing: false,
  requireSteps: false,
  criticEvery: "5",
  criticProvider: "",
  judgeProvider: "",
  review: "",
  persona: "",
  effort: "",
  onAsk: "",
  after: [],
  panes: [],
  protect: "",
  noProtect: "",
};

/** The fields of the dialog that can carry an error, by the names that Go gives them. */
const fieldNames = [
  "objective",
  "criterion",
  "risk",
  "dir",
  "limits",
  "provider",
  "model",
  "sandbox",
  "secrets",
  "allow_local",
  "allow_hosts",
  "critic_every",
  "critic_provider",
  "judge_provider",
  "review",
  "persona",
  "effort",
  "on_ask",
  "after",
  "panes",
  "protect",
] as const;

export type FieldName = (typeof fieldNames)[number];

/** Those of them that stand under More. */
export const moreFields: readonly FieldName[] = [
  "sandbox",
  "secrets",
  "allow_local",
  "allow_hosts",
  "critic_every",
  "critic_provider",
  "judge_provider",
  "review",
  "persona",
  "on_ask",
  "after",
  "panes",
  "protect",
];

export interface FieldError {
  message: string;
  hint: string;
}

export type Errors = Partial<Record<FieldName | "form", FieldError>>;

/** Where a refusal is shown: at the field that it names, else above the buttons. */
export function errorsOf(problem: Problem): Errors {
  const field = fieldNames.find((name) => name === problem.field) ?? "form";
  return { [field]: { message: problem.message, hint: problem.hint } };
}

/** What can be seen to be wrong without asking Go. */
export function validate(d: Draft): Errors {
  const errors: Errors = {};
  if (!d.objective.trim()) {
    errors.objective = { message: "Say in a sentence what should be true at the end", hint: "" };
  }
  const written = d.checks.filter((c) => filled(c));
  const wrong = written.map(checkError).find((e) => e !== "");
  if (written.length === 0) {
    errors.criterion = { message: "Write a check that passes only when the objective is reached", hint: "" };
  } else if (wrong) {
    errors.criterion = { message: wrong, hint: "" };
  }
  if (number(d.criticEvery) === null) {
    errors.critic_every = { message: "A number of steps, or empty for no critic", hint: "" };
  }
  if (patterns(d.allowLocal).some((p) => !/^\d{1,5}$/.test(p))) {
    errors.allow_local = { message: "Ports are numbers", hint: "such as 5432 8080" };
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

export const patterns = (text: string) => text.split(/[\s,]+/).filter(Boolean);

/** Says whether the person has begun to write a check. One that a person decides needs no words. */
export function filled(c: DraftCheck): boolean {
  return c.type === "manual" || subject(c).trim() !== "";
}

/** The field that a check of its type cannot do without. */
function subject(c: DraftCheck): string {
  switch (c.type) {
    case "shell":
      return c.command;
    case "http":
      return c.url;
    case "file":
      return c.path;
    case "json_predicate":
      return c.expr;
    case "visual":
    case "model_question":
      return c.question;
    case "manual":
      return c.note;
  }
}

/** What can be seen to be wrong with a check, `""` if nothing. */
function checkError(c: DraftCheck): string {
  switch (c.type) {
    case "shell":
      return /^\d{1,3}$/.test(c.exitCode.trim()) ? "" : "An exit code is a number from 0 to 255";
    case "http":
      return /^\d{3}$/.test(c.status.trim()) ? "" : "A status is a number such as 200";
    case "file":
      return number(c.minSize) === null ? "A size is a number of bytes" : "";
    case "json_predicate":
      if (c.from === "file" && !c.path.trim()) return "Name the file that holds the JSON";
      if (c.from === "command" && !c.command.trim()) return "Write the command that prints the JSON";
      if (c.from === "url" && !c.url.trim()) return "Give the address that answers with JSON";
      return "";
    default:
      return "";
  }
}

/** Leaves out what is empty, so that Go's defaults hold and the frozen criterion stays short. */
function some(part: Partial<Check>): Partial<Check> {
  return Object.fromEntries(Object.entries(part).filter(([, v]) => v !== "" && v !== false && v !== 0));
}

export function checkOf(c: DraftCheck): Check {
  const { type } = c;
  switch (type) {
    case "shell":
      return {
        type,
        exit_code: Number(c.exitCode.trim() || "0"),
        ...some({ command: c.command.trim(), dir: c.dir.trim(), where: c.where }),
      };
    case "http": {
      const status = Number(c.status.trim() || "200");
      return {
        type,
        ...some({
          url: c.url.trim(),
          method: c.method.trim().toUpperCase(),
          status: status === 200 ? 0 : status,
          body_contains: c.contains,
          predicate: c.predicate.trim(),
        }),
      };
    }
    case "file":
      if (c.absent) return { type, path: c.path.trim(), absent: true };
      return {
        type,
        ...some({
          path: c.path.trim(),
          min_size: Math.round(number(c.minSize) ?? 0),
          sha256: c.sha256.trim().toLowerCase(),
          matches: c.matches,
        }),
      };
    case "json_predicate":
      return { type, expr: c.expr.trim(), ...source(c) };
    case "visual":
      return { type, ...some({ question: c.question.trim(), url: c.url.trim() }) };
    case "model_question":
      return { type, question: c.question.trim(), ...some({ threshold: c.twice ? "high_confidence" : "" }) };
    case "manual":
      return { type, ...some({ note: c.note.trim(), wait: c.wait }) };
  }
}

function source(c: DraftCheck): Partial<Check> {
  switch (c.from) {
    case "claim":
      return {};
    case "file":
      return { from: c.from, path: c.path.trim() };
    case "command":
      return { from: c.from, command: c.command.trim() };
    case "url":
      return { from: c.from, url: c.url.trim() };
  }
}

/** A check as the dialog writes it. What only a file can say (a time-out, a pane) is not kept. */
export function draftCheck(c: Check): DraftCheck {
  return {
    ...emptyCheck,
    type: c.type,
    command: c.command ?? "",
    exitCode: String(c.exit_code ?? 0),
    dir: c.dir ?? "",
    where: c.where ?? "",
    url: c.url ?? "",
    method: c.method ?? "",
    status: String(c.status ?? 200),
    contains: c.body_contains ?? "",
    predicate: c.predicate ?? "",
    path: c.path ?? "",
    absent: c.absent ?? false,
    minSize: c.min_size ? String(c.min_size) : "",
    sha256: c.sha256 ?? "",
    matches: c.matches ?? "",
    expr: c.expr ?? "",
    from: c.from || "claim",
    question: c.question ?? "",
    twice: c.threshold === "high_confidence",
    note: c.note ?? "",
    wait: c.wait ?? false,
  };
}

/** In Go, 0 takes the default of these three limits and -1 switches them off; an empty field or a 0 means off. */
const limit = (n: number) => (n === 0 ? -1 : n);

export function toInput(d: Draft): StartInput {
  const minute = 60_000;
  return {
    objective: d.objective.trim(),
    checks: d.checks.filter(filled).map(checkOf),
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
    allow_tools: patterns(d.allowTools),
    deny_tools: patterns(d.denyTools),
    allow_hosts: patterns(d.allowHosts),
    deny_hosts: patterns(d.denyHosts),
    allow_local: patterns(d.allowLocal).map(Number),
    allow_write: [],
    allow_read: [],
    allow_socket: [],
    secrets: d.secrets,
    unconfined: d.unconfined,
    allow_passing: d.allowPassing,
    allow_missing: d.allowMissing,
    require_steps: d.requireSteps,
    effort: d.effort,
    persona: d.persona,
    critic_every: limit(Math.round(number(d.criticEvery) ?? 0)),
    critic_provider: d.criticProvider,
    judge_provider: d.judgeProvider,
    review: d.review,
    after: d.after,
    panes: d.panes,
    protect: patterns(d.protect),
    no_protect: patterns(d.noProtect),
    on_ask: d.onAsk,
  };
}

/** One check of the draft, tried under what the draft allows. */
export function toTry(d: Draft, check: Draft["checks"][number]): TryInput {
  const { dir, risk, allow_hosts, deny_hosts, allow_local, allow_write, allow_read, allow_socket, unconfined } =
    toInput(d);
  return {
    check: checkOf(check),
    dir,
    risk,
    allow_hosts,
    deny_hosts,
    allow_local,
    allow_write,
    allow_read,
    allow_socket,
    unconfined,
  };
}

const shown = (n: number | undefined, fallback: string) => (n === undefined ? fallback : n === 0 ? "" : String(n));

/** The dialog filled from an input, for Duplicate. What the input leaves out is as in an empty draft. */
export function fromInput(i: Partial<StartInput>): Draft {
  const checks = (i.checks ?? []).map(draftCheck);
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
    denyHosts: (i.deny_hosts ?? []).join(" "),
    allowLocal: (i.allow_local ?? []).join(" "),
    secrets: i.secrets ?? [],
    requireSteps: i.require_steps ?? false,
    criticEvery: shown(i.critic_every, emptyDraft.criticEvery),
    criticProvider: i.critic_provider ?? "",
    judgeProvider: i.judge_provider ?? "",
    review: i.review ?? "",
    persona: i.persona ?? "",
    effort: i.effort ?? "",
    onAsk: i.on_ask === "deny" || i.on_ask === "allow" ? i.on_ask : "",
    after: i.after ?? [],
    panes: i.panes ?? [],
    protect: (i.protect ?? []).join(" "),
    noProtect: (i.no_protect ?? []).join(" "),
  };
}

/** A goal's input, read back from its view. Goals that had to be done first, and panes, belong to that goal alone. */
export function draftOf(view: GoalView): Partial<StartInput> {
  const o = view.options;
  return {
    objective: view.objective,
    checks: view.criterion ?? [],
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
    deny_hosts: view.policy.deny_hosts ?? [],
    allow_local: view.policy.allow_local ?? [],
    secrets: view.policy.secrets ?? [],
    claims_per_gate: view.max_claims,
    require_steps: view.policy.require_steps ?? false,
    critic_every: o.critic_every ?? 0,
    critic_provider: o.critic_provider ?? "",
    judge_provider: o.judge_provider ?? "",
    review: o.review ?? "",
    persona: o.persona ?? "",
    effort: o.effort ?? "",
    on_ask: o.on_ask ?? "",
    protect: o.protect ?? [],
    no_protect: o.no_protect ?? [],
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
    const checks = Array.isArray(draft.checks) ? draft.checks.map((c) => ({ ...emptyCheck, ...c })) : [];
    return { ...draft, checks: checks.length > 0 ? checks : [emptyCheck] };
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
