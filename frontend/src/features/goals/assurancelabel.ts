import type { GoalCard } from "@/bridge/types";
import type { StatusTone } from "@/ui/badge";

type Proof = Pick<GoalCard, "exit" | "assurance" | "assurance_words">;

interface Assurance {
  words: string;
  /** For narrow places: the text without what is in brackets, or the level if that is still too long. */
  short: string;
  tone: StatusTone;
}

type Level = NonNullable<Proof["assurance"]>;

const tones: Record<Level, StatusTone> = { strong: "ok", shared: "calm", judged: "warn", claimed: "warn" };

/** The words for a goal of an older version. */
const defaultWords: Record<Level, string> = {
  strong: "Verified",
  shared: "Verified",
  judged: "Judged by a model",
  claimed: "Claimed, not verified",
};

/** Describes what a done goal proves; null for a goal that is not done. */
export function assuranceOf(goal: Proof): Assurance | null {
  if (goal.exit !== "done") return null;
  const level = goal.assurance ?? "claimed";
  const words = defaultWords[level];
  const all = goal.assurance_words ?? words;
  const short = all.split(" (", 1)[0] ?? all;
  return { words: all, short: level === "shared" ? `${short}, shared` : short, tone: tones[level] };
}
