import type { GoalView, GoalRequest, TryInput } from "@/bridge/types";
import { emptyDraft, type Draft } from "./draft";
import { checkOf, draftCheck, emptyCheck, isFilled } from "./draftcheck";
import { number } from "./number";

export const patterns = (text: string) => text.split(/[\s,]+/).filter(Boolean);

export const paths = (text: string) =>
  text
    .split(",")
    .map((p) => p.trim())
    .filter(Boolean);

/** Returns the folder that contains every match of a glob, as Go rounds it: "src/a*.py" is "src/", "*.py" is ".". */
export function roundGlob(pattern: string): string {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => /[*?[]/.test(part));
  if (first < 0) return pattern;
  return first === 0 ? "." : `${parts.slice(0, first).join("/")}/`;
}

/** In Go, 0 takes the default of these three limits and -1 switches them off; an empty field or a 0 means off. */
const limit = (n: number) => (n === 0 ? -1 : n);

export function toInput(d: Draft) {
  const minute = 60_000;
  return {
    objective: d.objective.trim(),
    checks: d.checks.filter(isFilled).map(checkOf),
    any: d.any,
    risk: d.risk,
    dir: d.dir.trim(),
    ...(d.worktree ? { new_worktree: true } : {}),
    ...(d.engine ? { engine: d.engine } : {}),
    provider: d.provider,
    model: d.model.trim(),
    wall_clock_ms: limit(Math.round((number(d.minutes) ?? 0) * minute)),
    iterations: limit(Math.round(number(d.iterations) ?? 0)),
    claims_per_check: limit(Math.round(number(d.claims) ?? 0)),
    tokens: Math.round(number(d.tokens) ?? 0),
    usd: number(d.usd) ?? 0,
    allow_tools: patterns(d.allowTools),
    deny_tools: patterns(d.denyTools),
    allow_hosts: patterns(d.allowHosts),
    deny_hosts: patterns(d.denyHosts),
    allow_local: patterns(d.allowLocal).map(Number),
    allow_write: paths(d.allowWrite),
    allow_read: paths(d.allowRead),
    work: paths(d.work),
    check_dir: d.checkDir.trim(),
    check_output: d.checkOutput,
    run_outside: d.runOutside,
    allow_socket: paths(d.allowSocket),
    secrets: d.secrets,
    unconfined: d.unconfined,
    allow_passing: d.allowPassing,
    allow_missing: d.allowMissing,
    require_steps: d.requireSteps,
    effort: d.effort,
    persona: d.persona,
    critic_every: limit(Math.round(number(d.criticEvery) ?? 0)),
    critic: d.critic,
    judge: d.judge,
    review: d.review,
    after: d.after,
    panes: d.panes,
    protect: patterns(d.protect),
    no_protect: patterns(d.noProtect),
    on_ask: d.onAsk,
  } satisfies GoalRequest;
}

/** One check of the draft, to be tried with the permissions of the draft. */
export function toTryInput(d: Draft, check: Draft["checks"][number]): TryInput {
  return { ...toInput(d), check: checkOf(check) };
}

const joinLines = (n: number | undefined, fallback: string) => (n === undefined ? fallback : n === 0 ? "" : String(n));

/** Fills the dialog from an input, for Duplicate. Missing fields are as in an empty draft. */
export function fromInput(i: Partial<GoalRequest>): Draft {
  const checks = (i.checks ?? []).map(draftCheck);
  return {
    ...emptyDraft,
    objective: i.objective ?? "",
    checks: checks.length > 0 ? checks : [emptyCheck],
    any: i.any ?? false,
    risk: i.risk ?? "write_local",
    dir: i.dir ?? "",
    worktree: i.new_worktree ?? false,
    engine: i.engine ?? "",
    provider: i.provider ?? "",
    model: i.model ?? "",
    minutes: joinLines(i.wall_clock_ms === undefined ? undefined : i.wall_clock_ms / 60_000, emptyDraft.minutes),
    usd: joinLines(i.usd, ""),
    tokens: joinLines(i.tokens, ""),
    iterations: joinLines(i.iterations, emptyDraft.iterations),
    claims: joinLines(i.claims_per_check, emptyDraft.claims),
    allowTools: (i.allow_tools ?? []).join(" "),
    denyTools: (i.deny_tools ?? []).join(" "),
    allowHosts: (i.allow_hosts ?? []).join(" "),
    denyHosts: (i.deny_hosts ?? []).join(" "),
    allowLocal: (i.allow_local ?? []).join(" "),
    allowWrite: (i.allow_write ?? []).join(", "),
    work: (i.work ?? []).join(", "),
    checkDir: i.check_dir ?? "",
    checkOutput: i.check_output ?? "",
    allowRead: (i.allow_read ?? []).join(", "),
    allowSocket: (i.allow_socket ?? []).join(", "),
    secrets: [...(i.secrets ?? [])],
    requireSteps: i.require_steps ?? false,
    criticEvery: joinLines(i.critic_every, emptyDraft.criticEvery),
    critic: i.critic ?? "",
    judge: i.judge ?? "",
    review: i.review ?? "",
    persona: i.persona ?? "",
    effort: i.effort ?? "",
    onAsk: i.on_ask === "deny" || i.on_ask === "allow" ? i.on_ask : "",
    after: [...(i.after ?? [])],
    panes: [...(i.panes ?? [])],
    protect: (i.protect ?? []).join(" "),
    noProtect: (i.no_protect ?? []).join(" "),
  };
}

/** A goal's input, read from its view. Prerequisite goals and panes are left out: they belong to that goal alone. */
export function draftOf(view: GoalView): Partial<GoalRequest> {
  const o = view.options;
  return {
    objective: view.objective,
    checks: view.criterion ?? [],
    any: view.any,
    risk: view.policy.risk,
    dir: o.worktree?.folder ?? view.policy.dir,
    new_worktree: o.worktree !== undefined,
    ...(view.scripted ? {} : { engine: o.engine ?? "model" }),
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
    allow_write: view.policy.allow_write ?? [],
    allow_read: (view.policy.allow_read ?? []).filter((dir) => dir !== o.worktree?.common_dir),
    work: view.policy.work ?? [],
    check_dir: view.policy.check_dir ?? "",
    check_output: o.check_output ?? "",
    allow_socket: view.policy.allow_socket ?? [],
    secrets: view.policy.secrets ?? [],
    claims_per_check: view.max_claims,
    require_steps: view.policy.require_steps ?? false,
    critic_every: o.critic_every ?? 0,
    critic: o.critic ?? "",
    judge: o.judge ?? "",
    review: o.review ?? "",
    persona: o.persona ?? "",
    effort: o.effort ?? "",
    on_ask: o.on_ask ?? "",
    protect: o.protect ?? [],
    no_protect: o.no_protect ?? [],
  };
}
