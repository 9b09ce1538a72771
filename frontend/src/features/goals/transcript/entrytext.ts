import type { CheckOutcome, StepOutcome, TranscriptEntry } from "@/bridge/types";
import { resultText } from "@/lib/text";
import { clock, formatElapsed } from "@/lib/time";
import { checkLabel, stepLabel } from "@/features/goals/labels";
import { callSentence } from "@/agent/callwords";
import { costWords } from "@/features/goals/activity/cost";

/** Returns the heading of an entry. */
export function entryTitle(e: TranscriptEntry): string {
  if (e.kind !== "step") return e.outcome ? `${e.title} · ${checkLabel(e.outcome as CheckOutcome).words}` : e.title;
  const words = callSentence({ tool: e.tool ?? "", arguments: e.arguments ?? "", outcome: e.outcome ?? "" });
  const failed = e.outcome && e.outcome !== "ok" ? `${stepLabel(e.outcome as StepOutcome).words} · ` : "";
  return `Step ${e.step ?? 0}: ${words} · ${e.outcome ? failed + formatElapsed(e.ms ?? 0) : "Running"}`;
}

/** Formats the cost of an entry, `""` if there is none. */
export function entryCost(e: TranscriptEntry): string {
  const tokens = (e.tokens_in ?? 0) + (e.tokens_out ?? 0);
  if (tokens === 0) return "";
  return `${e.guessed ? "about " : ""}${costWords({ tokens, usd: e.usd ?? 0 })}`;
}

/** Returns the body of an entry: a message, or the result of a call. */
export function entryBody(e: TranscriptEntry): string {
  return e.kind === "step" ? resultText(e.text) : e.text;
}

/** An entry as plain text, for the clipboard. */
export function entryText(e: TranscriptEntry): string {
  const cost = entryCost(e);
  const head = `[${clock(e.at_ms)}] ${entryTitle(e)}${cost ? ` (${cost})` : ""}`;
  const parts = [head];
  if (e.reasoning) parts.push(indent(`Thinking: ${e.reasoning}`));
  if (e.arguments && (e.kind === "step" || e.kind === "approval")) parts.push(indent(`${e.tool ?? ""} ${e.arguments}`));
  const body = entryBody(e).trim();
  if (body) parts.push(indent(body));
  return parts.join("\n") + "\n";
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
