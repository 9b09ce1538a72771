import type { GoalCard } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import type { StatusTone } from "@/ui/badge";

type Proof = Pick<GoalCard, "exit" | "assurance" | "assurance_words" | "assurance_reason">;

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
  const level = goal.assurance ?? "claimed";
  return {
    words: goal.assurance_words ?? defaultWords[level],
    reason: level === "weakened" ? stripControl(goal.assurance_reason ?? "") : "",
    tone: tones[level],
  };
}
