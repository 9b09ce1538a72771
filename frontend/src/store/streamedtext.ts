import type { GoalEvent } from "@/bridge/types";

/** What the model of a goal has streamed since its last action. */
export interface StreamedText {
  text: string;
  /** Its thinking before the text, if it is reported. */
  thinking: string;
}

/** By goal. It has every goal, because one that is opened in the middle of a turn shows what came before. */
export type StreamedTexts = Readonly<Record<string, StreamedText>>;

export const noStreamedText: StreamedText = { text: "", thinking: "" };

const maxLength = 16_000;

/** Applies an event of any goal. Events that are not about streamed text change nothing. */
export function withStreamed(all: StreamedTexts, event: GoalEvent): StreamedTexts {
  const before = all[event.goal_id];
  if (event.type === "delta") {
    const { text, thinking } = before ?? noStreamedText;
    return {
      ...all,
      [event.goal_id]: {
        text: (text + event.text).slice(-maxLength),
        thinking: (thinking + (event.reasoning ?? "")).slice(-maxLength),
      },
    };
  }
  if (!before || !endsStreaming(event)) return all;
  return Object.fromEntries(Object.entries(all).filter(([id]) => id !== event.goal_id));
}

/** Reports whether streamed text has ended: it is in the journal, or its turn failed and is repeated. */
function endsStreaming(event: GoalEvent): boolean {
  if (event.type === "warning") return event.what === "model";
  return ["iteration", "step_started", "message", "paused", "ended"].includes(event.type);
}
