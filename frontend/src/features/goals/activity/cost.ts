import { count, money } from "@/lib/bytes";

/** Formats the cost of a turn: `4.2 k tokens · $0.02`. */
export function costWords(cost: { tokens: number; usd: number }): string {
  const tokens = `${count(cost.tokens)} tokens`;
  return cost.usd > 0 ? `${tokens} · ${money(cost.usd)}` : tokens;
}
