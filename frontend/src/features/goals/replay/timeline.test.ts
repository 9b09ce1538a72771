import { expect, test } from "vitest";
import type { StepRow } from "@/bridge/types";
import { emptyJournal, type NoteFact } from "@/store/journal";
import {
  pauseAt,
  pauseIntervals,
  lengthOf,
  adjacentSteps,
  spentAt,
  stepAt,
  summaryMoments,
  panesUsed,
} from "./timeline";

const start = "2026-11-21T08:00:00.000Z";
const at = (ms: number) => new Date(Date.parse(start) + ms).toISOString();
const note = (kind: NoteFact["kind"], ms: number, text = ""): NoteFact => ({
  seq: ms,
  kind,
  at: at(ms),
  text,
  afterStep: 0,
});
const step = (n: number, ms: number, args = "{}"): StepRow => ({
  n,
  at_ms: ms,
  tool: "t",
  arguments: args,
  outcome: "ok",
  ms: 500,
  preview: "",
  image_sha256: "",
  effect: "",
});

test("a pause reaches from where it began to where the goal continued, with what was said then", () => {
  const list = pauseIntervals(
    [
      note("paused", 1_000),
      note("warning", 2_000),
      note("resumed", 5_000, "I had taken pane b1 over"),
      note("paused", 9_000),
    ],
    start,
    12_000,
  );
  expect(list).toEqual([
    { from: 1_000, to: 5_000, note: "I had taken pane b1 over" },
    { from: 9_000, to: 12_000, note: "" },
  ]);
  expect(pauseAt(list, 3_000)?.note).toContain("b1");
  expect(pauseAt(list, 6_000)).toBeUndefined();
  // A pause that begins at the end of the recording is not a gap.
  expect(pauseIntervals([note("paused", 12_000)], start, 12_000)).toEqual([]);
});

test("the step of a moment, and those beside it", () => {
  const steps = [step(1, 1_000), step(2, 3_000), step(3, 6_000)];
  expect(stepAt(steps, 500)).toBeUndefined();
  expect(stepAt(steps, 3_000)?.n).toBe(2);
  expect(stepAt(steps, 99_000)?.n).toBe(3);
  expect(adjacentSteps(steps, 3_000)).toEqual({ before: 1_000, after: 6_000 });
  expect(adjacentSteps(steps, 4_000)).toEqual({ before: 3_000, after: 6_000 });
  expect(adjacentSteps(steps, 6_000).after).toBeNull();
});

test("the pane that the agent works in is the one a step names, or that was just opened", () => {
  const panes = [
    { pane: "t1", from_ms: 1_200 },
    { pane: "b1", from_ms: 4_100 },
  ];
  const steps = [step(1, 1_000), step(2, 2_000, '{"pane":"t1"}'), step(3, 4_000), step(4, 6_000, '{ "pane" : "t1" }')];
  expect([0, 1_500, 2_500, 4_050, 5_000, 7_000].map((ms) => panesUsed(panes, steps, ms)?.pane)).toEqual([
    "t1",
    "t1",
    "t1",
    "t1",
    "b1",
    "t1",
  ]);
  expect(panesUsed<(typeof panes)[number]>([], steps, 1)).toBeUndefined();
});

test("what was spent by then, and how long there is something to see", () => {
  const usage = [
    { at: Date.parse(at(1_000)), tokens: 10, usd: 0.1 },
    { at: Date.parse(at(3_000)), tokens: 30, usd: 0.3 },
  ];
  expect(spentAt(usage, start, 500)).toBeUndefined();
  expect(spentAt(usage, start, 2_000)?.tokens).toBe(10);
  const view = { started_at: start, marks: [{ at_ms: 7_000, what: "verify:pass", detail: "", claim: 1, step: 0 }] };
  expect(lengthOf([{ to_ms: 4_000 }], [step(1, 6_000)], view, emptyJournal)).toBe(7_000);
  const nothing = lengthOf([], [], { started_at: start, marks: null }, emptyJournal);
  expect(nothing).toBe(1_000);
});

test("a summary has what each step led to and the end, of many steps forty moments", () => {
  const few = [{ ...step(1, 1_000), ms: 500 }, { ...step(2, 3_000), ms: 0 }, step(3, 9_900)];
  expect(summaryMoments(few.slice(0, 2), 10_000)).toEqual([1_500, 3_000, 10_000]);
  expect(summaryMoments([], 10_000)).toEqual([10_000]);
  const many = Array.from({ length: 500 }, (_, i) => ({ ...step(i + 1, i * 100), ms: 50 }));
  const chosen = summaryMoments(many, 50_000);
  expect(chosen).toHaveLength(40);
  expect(chosen[0]).toBe(50);
  expect(chosen.at(-1)).toBe(50_000);
});
