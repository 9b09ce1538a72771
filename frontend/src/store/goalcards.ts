import type { Exit, GoalCard, GoalEvent } from "@/bridge/types";

/** The group of a goal in the list, in the order of the list. */
export type Group = "needs_you" | "running" | "queued" | "paused" | "done" | "failed" | "aborted";

export const groups: readonly Group[] = ["needs_you", "running", "queued", "paused", "done", "failed", "aborted"];

export const groupTitle: Record<Group, string> = {
  needs_you: "Needs you",
  running: "Running",
  queued: "Queued",
  paused: "Paused",
  done: "Done",
  failed: "Failed",
  aborted: "Aborted",
};

/** Reports whether calls of the goal wait for the user, whether it still runs or has paused for them. */
export function asksUser(card: Pick<GoalCard, "status" | "asks">): boolean {
  return (card.asks ?? 0) > 0 && (card.status === "running" || card.status === "paused");
}

/** Names the card that asks about the changed files of a goal, like the request of an approval. */
export function changedRequest(goal: string): string {
  return `changed ${goal}`;
}

const questionPrefix = /^(?:Stopped because |Stopped: )?the agent asks: /i;

/** The agent's question for which a goal is paused, `""` if there is none. */
export function questionIn(card: Pick<GoalCard, "status" | "exit" | "reason">): string {
  if (card.status !== "paused" || card.exit !== "needs_user") return "";
  return questionPrefix.test(card.reason) ? card.reason.replace(questionPrefix, "") : "";
}

export function groupOf(card: Pick<GoalCard, "status" | "exit" | "queued" | "asks">): Group {
  if (asksUser(card)) return "needs_you";
  if (card.queued) return "queued";
  switch (card.status) {
    case "running":
      return "running";
    case "pending":
      return "queued";
    case "paused":
      return card.exit === "needs_user" || card.exit === "stuck" ? "needs_you" : "paused";
    case "failed":
    case "aborted":
      return card.exit === "user_aborted" ? "aborted" : "failed"; // "gave up" is aborted by the agent
    default:
      return "done";
  }
}

/** Reports whether a goal has a running loop, waits for one, or may get one. */
export function isLive(card: Pick<GoalCard, "status" | "queued">): boolean {
  return card.queued !== "" || card.status === "running" || card.status === "pending" || card.status === "paused";
}

/** Reports whether the goal neither runs nor waits for a run. */
export function isStopped(card: Pick<GoalCard, "status" | "queued">): boolean {
  return card.queued === "" && card.status !== "running" && card.status !== "pending";
}

/** Reports whether a pause would stop something: a run, or the wait of a resumed goal. */
export function canPause(card: Pick<GoalCard, "status" | "queued">): boolean {
  return card.status === "running" || (card.queued !== "" && card.status !== "pending");
}

/** Reports whether the goal is paused and nothing will resume it yet. */
export function canResume(card: Pick<GoalCard, "status" | "queued">): boolean {
  return card.status === "paused" && card.queued === "";
}

function active(activity: readonly number[] | null): number[] {
  const slices = activity && activity.length > 0 ? [...activity] : [0];
  slices[slices.length - 1] = (slices[slices.length - 1] ?? 0) + 1;
  return slices;
}

/** Reports whether a stopped goal resumes automatically, in the process that has it. */
function isParked(exit: Exit): boolean {
  return exit === "parked" || exit === "daily_limit" || exit === "waiting";
}

/**
 * The card after one event. The caller ensures that the event is the
 * next one; the spent time comes with the next snapshot.
 */
export function cardAfterEvent<C extends GoalCard>(card: C, event: GoalEvent): C {
  const next: C = { ...card, seq: event.seq ?? card.seq };
  switch (event.type) {
    case "queued":
      next.queued = event.left ? "" : event.reason;
      if (event.left === "user_paused" && isParked(next.exit)) {
        next.exit = event.left;
        next.parked_until = "";
        next.parked_since = "";
      }
      break;
    case "started":
      next.status = "running";
      next.queued = "";
      next.exit = "";
      next.reason = "";
      next.started_at ||= event.at;
      break;
    case "resumed":
    case "reopened":
      next.status = "running";
      next.queued = "";
      next.exit = "";
      next.reason = "";
      next.verified = false;
      next.judged = false;
      next.ended_at = "";
      next.parked_until = "";
      delete next.assurance;
      delete next.assurance_words;
      delete next.assurance_basis;
      delete next.assurance_reason;
      delete next.aftermath;
      break;
    case "iteration":
      next.iterations = event.n;
      break;
    case "step_started":
      next.steps = Math.max(next.steps, event.step_id);
      break;
    case "step":
      next.activity = active(next.activity);
      break;
    case "approval_requested":
      next.asks = (next.asks ?? 0) + 1;
      break;
    case "approval_resolved":
      next.asks = Math.max(0, (next.asks ?? 0) - 1);
      break;
    case "claim":
      next.checks_passed = 0;
      break;
    case "verdict":
      if (event.outcome === "pass") next.checks_passed = Math.min(next.checks, next.checks_passed + 1);
      break;
    case "usage":
      next.parked_since = ""; // a model has answered
      next.tokens_in += event.tokens_in;
      next.tokens_out += event.tokens_out;
      next.usd += event.usd;
      break;
    case "paused":
      next.status = "paused";
      next.queued = "";
      next.exit = event.exit;
      next.reason = event.reason;
      next.parked_until = event.until ?? "";
      next.parked_since = event.exit === "parked" ? next.parked_since || event.at : "";
      break;
    case "warning":
      if (event.what === "changed" && next.exit === "done") {
        next.assurance = "weakened";
        next.assurance_basis = "changed";
        next.assurance_words = "Done, changed since";
        next.assurance_reason = event.text;
      }
      break;
    case "accepted":
      delete next.assurance_words;
      if (event.assurance_basis) next.assurance_basis = event.assurance_basis;
      break;
    case "ended":
      next.status = event.status;
      next.queued = "";
      next.asks = 0;
      next.exit = event.exit;
      next.verified = event.verified;
      next.judged = event.judged ?? false;
      delete next.assurance_words; // they come with the next snapshot
      if (event.assurance) next.assurance = event.assurance;
      if (event.assurance_basis) next.assurance_basis = event.assurance_basis;
      if (event.assurance_reason) next.assurance_reason = event.assurance_reason;
      next.reason = event.report?.[0] ?? "";
      next.ended_at = event.at;
      break;
    default:
      break;
  }
  return next;
}
