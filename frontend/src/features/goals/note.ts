import type { GoalCard } from "@/bridge/types";
import { capitalize, plural, stripControl } from "@/lib/text";
import { groupOf, questionIn } from "@/store/goalcards";
import { markdownText } from "@/ui/markdowntext";

/** The one thing to know about a goal that is not done: its question, reason, queue or step. */
export function noteOf(card: GoalCard): string {
  if ((card.asks ?? 0) > 0) return plural(card.asks ?? 0, "call waits", "calls wait") + " for your answer";
  const question = questionIn(card);
  if (question) return `asks: ${stripControl(markdownText(question))}`;
  switch (groupOf(card)) {
    case "running":
      return card.steps > 0 ? `step ${card.steps}` : "";
    case "queued":
      return card.queued;
    default:
      return stripControl(markdownText(capitalize(card.reason)));
  }
}
