import type { GoalCard } from "@/bridge/types";
import type { StatusTone } from "@/ui/badge";

type Proof = Pick<GoalCard, "exit" | "verified" | "judged" | "assurance" | "assurance_words">;

interface Assurance {
  words: string;
  /** The beginning of words, without what is in brackets. */
  short: string;
  tone: StatusTone;
}

const tones: Record<string, StatusTone> = { strong: "ok", shared: "calm", judged: "warn", claimed: "warn" };

/** What a done goal proves, in plain words; null for a goal that is not done. */
export function assuranceOf(goal: Proof): Assurance | null {
  if (goal.exit !== "done") return null;
  // An older version stored only who decided.
  const level = goal.assurance ?? (goal.judged ? "judged" : goal.verified ? "strong" : "claimed");
  const words = { strong: "Verified", judged: "Judged by a model" }[level] ?? "Claimed, not verified";
  const all = goal.assurance_words ?? words;
  return { words: all, short: all.split(" (", 1)[0] ?? all, tone: tones[level] ?? "calm" };
}
