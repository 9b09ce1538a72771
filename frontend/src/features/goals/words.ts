import type { CheckOutcome, Exit, GoalCard, StepOutcome } from "@/bridge/types";
import type { Tone } from "@/ui/badge";

interface Said {
  words: string;
  tone: Tone;
}

const exits: Record<Exclude<Exit, "">, Said> = {
  done: { words: "done", tone: "ok" },
  limit_reached: { words: "limit reached", tone: "bad" },
  error: { words: "error", tone: "bad" },
  stuck: { words: "stuck", tone: "warn" },
  needs_operator: { words: "needs you", tone: "warn" },
  parked: { words: "parked", tone: "calm" },
  user_paused: { words: "paused", tone: "calm" },
  interrupted: { words: "interrupted", tone: "calm" },
  user_aborted: { words: "aborted", tone: "calm" },
  gave_up: { words: "gave up", tone: "bad" },
};

/** Where a goal stands, in a word and a tone. */
export function standing(card: Pick<GoalCard, "status" | "exit"> & { queued?: string }): Said & { live: boolean } {
  if (card.status === "running") return { words: "running", tone: "accent", live: true };
  if (card.status === "pending" || card.queued) return { words: "queued", tone: "calm", live: false };
  // An exit that a newer program has added is shown by its own name.
  const said = card.exit ? (exits[card.exit] as Said | undefined) : undefined;
  return { ...(said ?? { words: card.exit || card.status, tone: "calm" }), live: false };
}

/** A model with the effort that it is asked for, where the user chose one. */
export function asked(model: string, effort: string | undefined): string {
  return effort ? `${model} · effort ${effort}` : model;
}

const outcomes: Partial<Record<StepOutcome, Said>> = {
  "": { words: "…", tone: "accent" },
  ok: { words: "ok", tone: "ok" },
  failed: { words: "failed", tone: "bad" },
  denied: { words: "denied", tone: "warn" },
  in_doubt: { words: "in doubt", tone: "warn" },
};

export function stepSaid(outcome: StepOutcome): Said {
  return outcomes[outcome] ?? { words: outcome, tone: "calm" };
}

const checks: Partial<Record<CheckOutcome, Said>> = {
  "": { words: "not claimed yet", tone: "calm" },
  pass: { words: "passed", tone: "ok" },
  fail: { words: "failed", tone: "bad" },
  error: { words: "could not be run", tone: "warn" },
  tampered: { words: "tampered with", tone: "bad" },
  passes_already: { words: "passes already", tone: "warn" },
  fails_now: { words: "runs, and fails now", tone: "ok" },
  cannot_run: { words: "cannot run", tone: "bad" },
  not_repeatable: { words: "not repeatable", tone: "calm" },
};

export function checkSaid(outcome: CheckOutcome): Said {
  return checks[outcome] ?? { words: outcome, tone: "calm" };
}

const risks: Record<string, string> = {
  read_only: "read only",
  write_local: "write local",
  network_get: "network get",
  network_write: "network write",
  spends_money: "spend money",
};

export function riskWords(risk: string): string {
  return risks[risk] ?? risk;
}
