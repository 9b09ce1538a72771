import type { GoalEvent, StepRow, TranscriptEntry, TranscriptInput, TranscriptPage } from "@/bridge/types";
import { stepResult } from "./results";

/** The transcript of a fake goal, made from its events as Go does. */
export function transcript(
  events: readonly GoalEvent[],
  steps: readonly StepRow[],
  input: TranscriptInput,
): TranscriptPage {
  const all = entries(events, steps);
  const wanted = input.search.toLowerCase();
  const found = all.filter((e) =>
    [e.title, e.text, e.reasoning ?? "", e.arguments ?? "", e.tool ?? ""].some((s) => s.toLowerCase().includes(wanted)),
  );
  return { entries: found.slice(input.offset, input.offset + input.limit), total: found.length };
}

function entries(events: readonly GoalEvent[], steps: readonly StepRow[]): TranscriptEntry[] {
  const start = Date.parse(events[0]?.at ?? "");
  const byNumber = new Map(steps.map((s) => [s.n, s]));
  const list: TranscriptEntry[] = [];
  let turn = 0;
  events.forEach((event, i) => {
    if (event.type === "iteration") turn = event.n;
    const said = entryOf(event, events[i + 1], byNumber);
    if (said)
      list.push({ seq: event.seq ?? 0, at_ms: Date.parse(event.at) - start, title: "", text: "", turn, ...said });
  });
  return list;
}

type Part = Partial<TranscriptEntry> & Pick<TranscriptEntry, "kind">;

function entryOf(e: GoalEvent, next: GoalEvent | undefined, steps: ReadonlyMap<number, StepRow>): Part | null {
  switch (e.type) {
    case "message": {
      if (e.message.role === "tool") return null;
      const cost = next?.type === "usage" ? next : null;
      return {
        kind: e.message.role === "assistant" ? "agent" : "host",
        title: e.message.role === "assistant" ? "Agent" : "To the agent",
        text: e.message.text,
        ...(e.message.reasoning?.text ? { reasoning: e.message.reasoning.text } : {}),
        ...(cost ? { tokens_in: cost.tokens_in, tokens_out: cost.tokens_out, usd: cost.usd } : {}),
      };
    }
    case "step_started": {
      const row = steps.get(e.step_id);
      return {
        kind: "step",
        step: e.step_id,
        tool: e.tool,
        arguments: e.arguments,
        outcome: row?.outcome ?? "",
        preview: row?.preview ?? "",
        ms: row?.ms ?? 0,
        text: row ? stepResult(row) : "",
      };
    }
    case "critic":
      return { kind: "critic", title: `Critic: ${e.verdict.toLowerCase()}`, text: e.reason };
    case "todos":
      return {
        kind: "plan",
        title: "Plan",
        text: (e.items ?? []).map((t) => `[${t.done ? "x" : " "}] ${t.text}`).join("\n"),
      };
    case "claim":
      return { kind: "claim", title: `Claim ${e.n}`, text: [e.rationale, e.result ?? ""].filter(Boolean).join("\n\n") };
    case "verdict":
      return {
        kind: "check",
        title: `Check: ${e.name}`,
        outcome: e.outcome,
        text: [e.detail, e.tail ?? ""].join("\n\n").trim(),
      };
    case "steered":
      return { kind: "note", title: "You", text: e.text };
    case "warning":
      return { kind: "warning", title: "Warning", text: e.text };
    case "paused":
      return { kind: "status", title: "Paused", text: e.reason };
    case "accepted":
      return { kind: "status", title: "Accepted by you", text: e.assurance_reason ?? "" };
    case "ended":
      return { kind: "status", title: `Ended: ${e.exit}`, text: (e.report ?? []).join("\n") };
    default:
      return null;
  }
}
