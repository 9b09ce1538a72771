import type { GoalView, ResumeInput } from "@/bridge/types";

const minute = 60_000;

export type LimitForm = ReturnType<typeof suggestedLimit>;

/** The limits, each exhausted one raised by its own amount. */
export function suggestedLimit(view: GoalView): { minutes: string; iterations: string; tokens: string; usd: string } {
  const again = (used: number, limit: number) => (limit > 0 && used >= limit ? used + limit : limit);
  const say = (n: number) => (n > 0 ? String(Math.round(n * 100) / 100) : "");
  return {
    minutes: say(Math.ceil(again(view.spent_ms, view.wall_clock_ms) / minute)),
    iterations: say(again(view.iterations, view.max_iterations)),
    tokens: say(again(view.tokens_in + view.tokens_out, view.max_tokens)),
    usd: say(again(view.usd, view.max_usd)),
  };
}

/** The values of the form as Go expects them; null if one is not a number. An empty field means no limit. */
export function resumeInputFor(f: ReturnType<typeof suggestedLimit>): Partial<ResumeInput> | null {
  const number = (text: string) => (text.trim() === "" ? -1 : Number(text.trim().replace(/^\$/, "")));
  const values = [f.minutes, f.iterations, f.tokens, f.usd].map(number);
  if (values.some((n) => Number.isNaN(n) || n === 0 || n < -1)) return null;
  const [minutes = -1, iterations = -1, tokens = -1, usd = -1] = values;
  return {
    wall_clock_ms: minutes === -1 ? -1 : Math.round(minutes * minute),
    iterations: Math.round(iterations),
    tokens: Math.round(tokens),
    usd,
  };
}

/** Reports whether a limit leaves nothing for another run. */
export function exhaustedLimits(view: GoalView): boolean {
  const over = (used: number, limit: number) => limit > 0 && used >= limit;
  return (
    over(view.spent_ms, view.wall_clock_ms) ||
    over(view.iterations, view.max_iterations) ||
    over(view.tokens_in + view.tokens_out, view.max_tokens) ||
    over(view.usd, view.max_usd)
  );
}
