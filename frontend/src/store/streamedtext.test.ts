import { expect, test } from "vitest";
import type { GoalEvent } from "@/bridge/types";
import { withStreamed, type StreamedTexts } from "./streamedtext";

const head = (seq: number) => ({ goal_id: "g", seq, at: "2026-01-01T00:00:10.000Z" });
const delta = (text: string, reasoning?: string, goal = "g"): GoalEvent => ({
  goal_id: goal,
  at: "",
  type: "delta",
  text,
  ...(reasoning ? { reasoning } : {}),
});
const after = (...events: GoalEvent[]) => events.reduce<StreamedTexts>(withStreamed, {});

test("the model's words are shown until it acts", () => {
  const d = after(delta("I "), delta("look"));
  expect(d.g?.text).toBe("I look");
  expect(withStreamed(d, { ...head(11), type: "iteration", n: 2 })).toEqual({});
});

test("each goal has its own words", () => {
  const d = after(delta("here"), delta("there", undefined, "h"), { ...head(3), type: "iteration", n: 2 });
  expect(d).toEqual({ h: { text: "there", thinking: "" } });
});

test("what a model thinks streams apart from its words; what a failed attempt sent goes away", () => {
  let d = after(delta("", "First the "), delta("", "folder."), delta("I look."));
  expect(d.g).toEqual({ text: "I look.", thinking: "First the folder." });
  d = withStreamed(d, { ...head(11), type: "warning", what: "critic", text: "out of words" });
  expect(d.g?.thinking).toBe("First the folder.");
  d = withStreamed(d, { ...head(12), type: "warning", what: "model", text: "overloaded; trying again in 2 s" });
  expect(d).toEqual({});
});

test("a long text keeps its end", () => {
  const d = after(delta("a".repeat(16_000)), delta("end"));
  expect(d.g?.text).toHaveLength(16_000);
  expect(d.g?.text.endsWith("aend")).toBe(true);
});
