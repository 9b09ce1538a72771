import type { SearchHit, SearchOutput, SearchPart, SearchPlace } from "@/bridge/types";
import type { FakeGoal } from "./goals";
import { stepResult } from "./results";

const hitsOfGoal = 3;

/** Searches the events of fake goals, as Go does with its index. */
export function search(goals: readonly FakeGoal[], words: string, limit: number): SearchOutput {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  const newest = [...goals].sort((a, b) => (a.view.created_at < b.view.created_at ? 1 : -1));
  const found = newest.flatMap((goal) => {
    const hits = terms.length > 0 ? hitsIn(goal, terms) : [];
    const { id, objective, status, exit } = goal.view;
    return hits.length > 0
      ? [{ id, objective, status, exit, hits: hits.slice(0, hitsOfGoal), total: hits.length }]
      : [];
  });
  return { goals: found.slice(0, limit), total: found.length };
}

function hitsIn({ view, events, steps }: FakeGoal, terms: readonly string[]): SearchHit[] {
  const hits: SearchHit[] = [];
  let step = 0;
  const add = (place: SearchPlace, seq: number, text: string) => {
    const lower = text.toLowerCase();
    if (terms.every((t) => lower.includes(t))) hits.push({ place, seq, step, parts: partsOf(text, terms) });
  };
  add("objective", 1, view.objective);
  for (const event of events) {
    const seq = event.seq ?? 0;
    if (event.type === "message" && event.message.role === "assistant") add("said", seq, event.message.text);
    if (event.type === "steered") add("note", seq, event.text);
    if (event.type === "ended") add("report", seq, (event.report ?? []).join(" "));
    if (event.type !== "step_started") continue;
    step = event.step_id;
    add("ran", seq, `${event.tool} ${event.arguments}`);
    const row = steps.find((s) => s.n === step);
    if (row) add("output", seq, stepResult(row));
  }
  return hits;
}

function partsOf(text: string, terms: readonly string[]): SearchPart[] {
  const pattern = new RegExp(`(${terms.map((t) => t.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|")})`, "giu");
  const first = text.search(pattern);
  const from = Math.max(0, first - 50);
  const parts = text
    .slice(from, from + 180)
    .replaceAll(/\s+/g, " ")
    .split(pattern)
    .map((t, i) => (i % 2 === 1 ? { text: t, found: true } : { text: t }));
  return [...(from > 0 ? [{ text: "…" }] : []), ...parts.filter((p) => p.text !== "")];
}
