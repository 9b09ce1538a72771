import type { CheckState, GoalCard } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import type { StatusTone } from "@/ui/badge";

type Proof = Pick<
  GoalCard,
  "exit" | "assurance" | "assurance_basis" | "assurance_words" | "assurance_reason" | "aftermath"
>;

interface Assurance {
  words: string;
  /** The one reason why it does not prove more, "" if there is none. */
  reason: string;
  tone: StatusTone;
}

type Level = NonNullable<Proof["assurance"]>;

const tones: Record<Level, StatusTone> = {
  strong: "ok",
  tested: "ok",
  weakened: "warn",
  judged: "warn",
  claimed: "warn",
};

/** The words until they come with the next snapshot. */
const defaultWords: Record<Level, string> = {
  strong: "Verified",
  tested: "Verified by tests",
  weakened: "Passed, look at this",
  judged: "Judged by a model",
  claimed: "Claimed, not verified",
};

/** Describes what a done goal proves; null for a goal that is not done. */
export function assuranceOf(goal: Proof): Assurance | null {
  if (goal.exit !== "done") return null;
  if (goal.aftermath) return { words: `Done, ${goal.aftermath}`, reason: "", tone: "warn" };
  const level = goal.assurance ?? "claimed";
  const accepted = goal.assurance_basis === "user";
  return {
    words: goal.assurance_words ?? (accepted ? "Accepted by you" : defaultWords[level]),
    reason: level === "weakened" ? stripControl(goal.assurance_reason ?? "") : "",
    tone: accepted ? "calm" : tones[level],
  };
}

/** The colour of a check that passed, by what its pass proves. */
export function checkTone(check: Pick<CheckState, "assurance" | "assurance_basis">): StatusTone {
  return check.assurance_basis === "user" ? "calm" : tones[check.assurance ?? "claimed"];
}

/** Reports whether the user has yet to accept the pass of a done goal, or send it back. */
export function isDoubted(goal: Proof): boolean {
  return goal.exit === "done" && goal.assurance === "weakened" && goal.assurance_basis !== "user" && !goal.aftermath;
}
