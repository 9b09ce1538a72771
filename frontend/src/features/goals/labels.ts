import type { CheckOutcome, Exit, GoalCard, StepOutcome } from "@/bridge/types";
import { capitalize } from "@/lib/text";
import { asksUser } from "@/store/goalcards";
import type { StatusTone } from "@/ui/badge";

interface Label {
  words: string;
  tone: StatusTone;
}

const exitLabels: Record<Exclude<Exit, "">, Label> = {
  done: { words: "Done", tone: "ok" },
  limit_reached: { words: "Limit reached", tone: "bad" },
  error: { words: "Error", tone: "bad" },
  stuck: { words: "Stuck", tone: "warn" },
  needs_user: { words: "Needs you", tone: "warn" },
  parked: { words: "Waiting for the model", tone: "calm" },
  waiting: { words: "Waiting", tone: "calm" },
  daily_limit: { words: "Daily limit reached", tone: "warn" },
  user_paused: { words: "Paused", tone: "calm" },
  interrupted: { words: "Interrupted", tone: "calm" },
  user_aborted: { words: "Aborted", tone: "calm" },
  gave_up: { words: "Gave up", tone: "bad" },
};

/** The status of a goal as a word and a tone. */
export function goalStatusLabel(
  card: Pick<GoalCard, "status" | "exit" | "asks"> & { queued?: string },
): Label & { live: boolean } {
  if (asksUser(card)) return { words: "Needs you", tone: "warn", live: false };
  if (card.status === "running") return { words: "Running", tone: "accent", live: true };
  if (card.status === "pending" || card.queued) return { words: "Queued", tone: "calm", live: false };
  // An exit that a newer version has added is shown by its own name.
  const said = card.exit ? (exitLabels[card.exit] as Label | undefined) : undefined;
  return { ...(said ?? { words: capitalize(card.exit || card.status), tone: "calm" }), live: false };
}

/** A model, with the effort if the user chose one. */
export function questionOf(model: string, effort: string | undefined): string {
  return effort ? `${model} · effort ${effort}` : model;
}

const outcomeLabels: Partial<Record<StepOutcome, Label>> = {
  "": { words: "…", tone: "accent" },
  ok: { words: "Ok", tone: "ok" },
  failed: { words: "Failed", tone: "bad" },
  denied: { words: "Denied", tone: "warn" },
  in_doubt: { words: "In doubt", tone: "warn" },
};

export function stepLabel(outcome: StepOutcome): Label {
  return outcomeLabels[outcome] ?? { words: capitalize(outcome), tone: "calm" };
}

const checkLabels: Partial<Record<CheckOutcome, Label>> = {
  "": { words: "Not checked yet", tone: "calm" },
  pass: { words: "Passed", tone: "ok" },
  fail: { words: "Failed", tone: "bad" },
  error: { words: "Could not be run", tone: "warn" },
  tampered: { words: "Tampered with", tone: "bad" },
  passes_already: { words: "Passes already", tone: "warn" },
  fails_now: { words: "Runs and fails now", tone: "ok" },
  cannot_run: { words: "Cannot run", tone: "bad" },
  not_repeatable: { words: "Not repeatable", tone: "calm" },
};

export function checkLabel(outcome: CheckOutcome): Label {
  return checkLabels[outcome] ?? { words: capitalize(outcome), tone: "calm" };
}
