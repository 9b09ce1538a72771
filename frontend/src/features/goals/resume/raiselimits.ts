import type { GoalCard, GoalView, ResumeInput } from "@/bridge/types";
import { count, money } from "@/lib/bytes";
import { clip, oneLine, stripControl } from "@/lib/text";
import { span } from "@/lib/time";
import type { App } from "@/store/app";
import { resumeInputFor, suggestedLimit } from "./limitvalues";

/** Reports whether a goal has stopped at one of its limits. */
export function isAtLimit(card: Pick<GoalCard, "exit" | "queued">): boolean {
  return card.exit === "limit_reached" && card.queued === "";
}

/** What a goal gets more of, in words: "1 h → 2 h". */
function raisedWords(view: GoalView, raised: Partial<ResumeInput>): string {
  const limits: [number, number | undefined, (n: number) => string][] = [
    [view.wall_clock_ms, raised.wall_clock_ms, span],
    [view.max_iterations, raised.iterations, (n) => `${n} turns`],
    [view.max_tokens, raised.tokens, (n) => `${count(n)} tokens`],
    [view.max_usd, raised.usd, money],
  ];
  return limits
    .flatMap(([was, now, say]) => (now !== undefined && now > was ? [`${say(was)} → ${say(now)}`] : []))
    .join(", ");
}

/** Offers to raise the exhausted limits of goals, each by its own amount, and to continue them. */
export async function raiseLimits(app: App, cards: readonly GoalCard[]): Promise<void> {
  const views = await Promise.all(cards.map((c) => app.ask("GoalAPI.Get", c.id)));
  const limits = new Map<string, Partial<ResumeInput>>();
  const lines: string[] = [];
  for (const view of views) {
    const raised = view ? resumeInputFor(suggestedLimit(view)) : null;
    const words = view && raised ? raisedWords(view, raised) : "";
    if (!view || !raised || !words) continue;
    limits.set(view.id, raised);
    lines.push(`• ${stripControl(clip(oneLine(view.objective), 80))}: ${words}`);
  }
  if (limits.size === 0) {
    app.notices.done("No limit that can be raised here is used up. Open the goals to see why they stopped.");
    return;
  }
  app.confirm({
    title: limits.size === 1 ? "Raise the limits of this goal?" : `Raise the limits of ${limits.size} goals?`,
    text: `Each limit that is used up gets its own amount once more, and the goals continue.\n${lines.join("\n")}`,
    yes: "Raise and continue",
    danger: false,
    run: () =>
      app.goals.raiseAll(
        cards.filter((c) => limits.has(c.id)),
        limits,
      ),
  });
}
