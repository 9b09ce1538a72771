import type { CheckOutcome, Exit, GoalCard, StepOutcome } from "@/bridge/types";
import { asksUser } from "@/store/goalcards";
import type { StatusTone } from "@/ui/badge";

interface Label {
  words: string;
  tone: StatusTone;
}

const exitLabels: Record<Exclude<Exit, "">, Label> = {
  done: { words: "done", tone: "ok" },
  limit_reached: { words: "limit reached", tone: "bad" },
  error: { words: "error", tone: "bad" },
  stuck: { words: "stuck", tone: "warn" },
  needs_user: { words: "needs you", tone: "warn" },
  parked: { words: "waiting for the model", tone: "calm" },
  waiting: { words: "waiting", tone: "calm" },
  daily_limit: { words: "daily limit reached", tone: "warn" },
  user_paused: { words: "paused", tone: "calm" },
  interrupted: { words: "interrupted", tone: "calm" },
  user_aborted: { words: "aborted", tone: "calm" },
  gave_up: { words: "gave up", tone: "bad" },
};

/** The status of a goal as a word and a tone. */
export function goalStatusLabel(
  card: Pick<GoalCard, "status" | "exit" | "asks"> & { queued?: string },
): Label & { live: boolean } {
  if (asksUser(card)) return { words: "needs you", tone: "warn", live: false };
  if (card.status === "running") return { words: "running", tone: "accent", live: true };
  if (card.status === "pending" || card.queued) return { words: "queued", tone: "calm", live: false };
  // An exit that a newer version has added is shown by its own name.
  const said = card.exit ? (exitLabels[card.exit] as Label | undefined) : undefined;
  return { ...(said ?? { words: card.exit || card.status, tone: "calm" }), live: false };
}

/** A model, with the effort if the user chose one. */
export function questionOf(model: string, effort: string | undefined): string {
  return effort ? `${model} · effort ${effort}` : model;
}

const outcomeLabels: Partial<Record<StepOutcome, Label>> = {
  "": { words: "…", tone: "accent" },
  ok: { words: "ok", tone: "ok" },
  failed: { words: "failed", tone: "bad" },
  denied: { words: "denied", tone: "warn" },
  in_doubt: { words: "in doubt", tone: "warn" },
};

export function stepLabel(outcome: StepOutcome): Label {
  return outcomeLabels[outcome] ?? { words: outcome, tone: "calm" };
}

const checkLabels: Partial<Record<CheckOutcome, Label>> = {
  "": { words: "not checked yet", tone: "calm" },
  pass: { words: "passed", tone: "ok" },
  fail: { words: "failed", tone: "bad" },
  error: { words: "could not be run", tone: "warn" },
  tampered: { words: "tampered with", tone: "bad" },
  passes_already: { words: "passes already", tone: "warn" },
  fails_now: { words: "runs and fails now", tone: "ok" },
  cannot_run: { words: "cannot run", tone: "bad" },
  not_repeatable: { words: "not repeatable", tone: "calm" },
};

export function checkLabel(outcome: CheckOutcome): Label {
  return checkLabels[outcome] ?? { words: outcome, tone: "calm" };
}
