import { expect, test } from "vitest";
import type { StepRow } from "@/bridge/types";
import { emptyJournal, type Journal } from "@/store/journal";
import { claimSummary, logLines, noFilter, toolsOf } from "./stepfilter";

const step = (n: number, tool: string, outcome: StepRow["outcome"] = "ok", args = "{}"): StepRow => ({
  n,
  at_ms: 0,
  tool,
  arguments: args,
  outcome,
  ms: 1,
  preview: "",
  image_sha256: "",
  effect: "",
});
const steps = [
  step(1, "read_file"),
  step(2, "run_command", "failed", '{"command":"npm test"}'),
  step(3, "claim_complete"),
];
const verdict = { check: 0, name: "t", detail: "", exit_code: 1, ms: 1 };
const journal: Journal = {
  ...emptyJournal,
  claims: [
    {
      n: 1,
      at: "",
      rationale: "it works",
      openTodos: 0,
      by: "",
      afterStep: 3,
      failed: "",
      verdicts: [
        { ...verdict, outcome: "fail" },
        { ...verdict, check: 1, outcome: "pass" },
      ],
    },
  ],
  notes: [
    { seq: 1, kind: "queued", at: "", text: "q", afterStep: 0 },
    { seq: 9, kind: "steered", at: "", text: "s", afterStep: 2 },
    { seq: 20, kind: "paused", at: "", text: "p", afterStep: 3 },
  ],
};
const keys = (filter = noFilter) => logLines(steps, journal, filter).map((l) => l.key);

test("notes and claims stand at their places among the steps", () => {
  expect(keys()).toEqual(["note-1", "step-1", "step-2", "note-9", "step-3", "note-20"]);
  const last = logLines(steps, journal, noFilter)[4];
  expect(last?.kind === "step" && last.claim ? claimSummary(last.claim) : null).toEqual({ passed: 1, of: 2 });
});

test("filters by tool, by failure and by text, and hides notes then", () => {
  expect(keys({ ...noFilter, tool: "read_file" })).toEqual(["step-1"]);
  expect(keys({ ...noFilter, failedOnly: true })).toEqual(["step-2", "step-3"]);
  expect(keys({ ...noFilter, text: "NPM" })).toEqual(["step-2"]);
  expect(keys({ ...noFilter, text: "it works" })).toEqual(["step-3"]);
  expect(toolsOf(steps)).toEqual(["claim_complete", "read_file", "run_command"]);
});
