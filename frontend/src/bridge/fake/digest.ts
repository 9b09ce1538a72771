import type { Digest, GoalCard } from "@/bridge/types";

const needsUser = (card: GoalCard) =>
  (card.asks ?? 0) > 0 || (card.status === "paused" && (card.exit === "needs_user" || card.exit === "stuck"));

/** What happened since a time. */
export function digestOf(all: readonly GoalCard[], since: string): Digest {
  const others = all.filter((card) => !needsUser(card));
  return {
    since,
    needs_you: all.filter(needsUser),
    failed: others.filter((c) => (c.status === "failed" || c.status === "aborted") && c.exit !== "user_aborted"),
    done: others.filter((c) => c.status === "completed"),
    running: others.filter((c) => c.status === "running").length,
    usd: all.reduce((sum, card) => sum + card.usd, 0),
  };
}
