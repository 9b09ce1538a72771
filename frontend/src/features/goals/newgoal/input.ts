import type { Check, GoalView, GoalRequest, TryInput } from "@/bridge/types";
import { emptyDraft, modelNames, noConfirmation, type Draft } from "./draft";
import { checkOf, draftCheck, emptyCheck, isFilled, type DraftCheck } from "./draftcheck";

/** Returns the folder that contains every match of a glob, as Go rounds it: "src/a*.py" is "src/", "*.py" is ".". */
export function roundGlob(pattern: string): string {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => /[*?[]/.test(part));
  if (first < 0) return pattern;
  return first === 0 ? "." : `${parts.slice(0, first).join("/")}/`;
}

/** In Go, 0 takes the default of these limits and -1 switches them off; in a draft, 0 means off. */
const limit = (n: number) => (n === 0 ? -1 : n);
const limitNames = ["wall_clock_ms", "iterations", "claims_per_check", "critic_every"] as const;

export function toInput(d: Draft): GoalRequest & { checks: Check[] } {
  const { invalid: _, checks, ...draft } = d;
  const entries = Object.entries(draft).map(([name, value]) => [
    name,
    typeof value === "string" ? value.trim() : value,
  ]);
  return {
    ...(Object.fromEntries(entries) as typeof draft),
    checks: checks.filter(isFilled).map(checkOf),
    wall_clock_ms: limit(draft.wall_clock_ms),
    iterations: limit(draft.iterations),
    claims_per_check: limit(draft.claims_per_check),
    critic_every: limit(draft.critic_every),
  };
}

/** One check of the draft, to be tried with the permissions of the draft. */
export function toTryInput(d: Draft, check: DraftCheck): TryInput {
  return { ...toInput(d), check: checkOf(check) };
}

/** Fills the dialog from an input, for Duplicate. The user confirms again what is dangerous. */
export function fromInput({ checks: given, ...request }: Partial<GoalRequest>): Draft {
  const checks = given ?? [];
  return {
    ...emptyDraft,
    ...request,
    provider: "",
    model: modelNames(request),
    fallbacks: [],
    checks: checks.length > 0 ? checks.map(draftCheck) : [emptyCheck],
    on_ask: request.on_ask === "park" ? "" : (request.on_ask ?? ""),
    unconfined: false,
    ...noConfirmation,
  };
}

/** Fills the dialog from the goal of a schedule, to change it. What the user has confirmed for it stays so. */
export function fromScheduled(request: GoalRequest): Draft {
  const { unconfined = false, allow_passing = false, allow_missing = false, run_outside = false } = request;
  const given = Object.entries(request).filter(([, value]) => value !== null);
  const draft = fromInput(Object.fromEntries(given) as Partial<GoalRequest>);
  const limits = Object.fromEntries(
    limitNames.map((name) => [name, request[name] ? Math.max(0, request[name]) : emptyDraft[name]]),
  );
  return { ...draft, ...limits, unconfined, allow_passing, allow_missing, run_outside };
}

/** A goal's input, read from its view. Prerequisite goals and panes are left out: they belong to that goal alone. */
export function draftOf(view: GoalView): Partial<GoalRequest> {
  const { hidden: _, ...policy } = view.policy;
  const { parent: _parent, outside: _outside, persona_copy: _copy, ...chosen } = view.options;
  const { worktree, race, after: _after, panes: _panes, ...options } = chosen;
  return {
    ...policy,
    ...options,
    objective: view.objective,
    checks: view.criterion ?? [],
    any: view.any,
    dir: worktree?.folder ?? race?.folder ?? policy.dir,
    new_worktree: worktree !== undefined,
    allow_read: (policy.allow_read ?? []).filter((dir) => dir !== worktree?.common_dir),
    engine: view.scripted ? "" : options.engine || "model",
    provider: view.provider,
    model: view.model,
    wall_clock_ms: view.wall_clock_ms,
    iterations: view.max_iterations,
    claims_per_check: view.max_claims,
    tokens: view.max_tokens,
    usd: view.max_usd,
    critic_every: options.critic_every ?? 0,
  };
}
