import { expect, test } from "vitest";
import type { StepRow } from "@/bridge/types";
import { emptyJournal, type Journal } from "@/store/journal";
import { claimSummary, logLines, noFilter, kindsOf } from "./stepfilter";

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

test("filters by kind, by failure and by text, and hides notes then", () => {
  expect(keys({ ...noFilter, kind: "read" })).toEqual(["step-1"]);
  expect(keys({ ...noFilter, failedOnly: true })).toEqual(["step-2", "step-3"]);
  expect(keys({ ...noFilter, text: "NPM" })).toEqual(["step-2"]);
  expect(keys({ ...noFilter, text: "it works" })).toEqual(["step-3"]);
  expect(kindsOf(steps)).toEqual(["read", "run", "claim"]);
  expect(keys({ ...noFilter, text: "claimed" })).toEqual(["step-3"]);
});

test("a plan is part of the row of the call that wrote it; of others after one step only the newest has a row", () => {
  const todos = (seq: number, afterStep: number, text: string) => ({
    ...{ seq, kind: "todos" as const, at: "", text, afterStep },
  });
  const notes = [
    todos(1, 1, "0 of 4 done"),
    todos(2, 1, "1 of 4 done"),
    todos(3, 2, "2 of 4 done"),
    todos(4, 2, "3 of 4 done"),
  ];
  const planned = logLines([step(1, "write_todos"), step(2, "run_command")], { ...emptyJournal, notes }, noFilter);
  expect(planned.map((l) => (l.kind === "step" ? l.plan : l.note.text))).toEqual(["1 of 4 done", "", "3 of 4 done"]);
});
