import { expect, test } from "vitest";
import { blankView } from "@/bridge/fake/seed";
import {
  draftOf,
  emptyDraft,
  errorsOf,
  fromInput,
  saveDraft,
  savedDraft,
  ticksFor,
  toInput,
  validate,
  type Draft,
} from "./draft";

const draft = (part: Partial<Draft> = {}): Draft => ({
  ...emptyDraft,
  objective: "make it green",
  checks: [{ command: "make test", exitCode: "0", dir: "" }],
  ...part,
});

test("an objective and one check are all that must be filled", () => {
  expect(validate(draft())).toEqual({});
  expect(Object.keys(validate(emptyDraft))).toEqual(["objective", "criterion"]);
});

test("numbers are checked where they are written", () => {
  expect(validate(draft({ usd: "five" })).limits?.message).toContain("number");
  expect(validate(draft({ tokens: "-1" })).limits).toBeDefined();
  expect(validate(draft({ usd: "$5.00", tokens: "100,000" })).limits).toBeUndefined();
  expect(validate(draft({ checks: [{ command: "x", exitCode: "ok", dir: "" }] })).criterion).toBeDefined();
});

test("the input says units, drops empty checks and splits lists", () => {
  const input = toInput(
    draft({
      checks: [
        { command: " make test ", exitCode: "3", dir: "web" },
        { command: "  ", exitCode: "0", dir: "" },
      ],
      minutes: "1.5",
      usd: "$5",
      tokens: "100,000",
      allowHosts: "a.example, b.example  c.example",
    }),
  );
  expect(input.checks).toEqual([{ type: "shell", command: "make test", exit_code: 3, dir: "web" }]);
  expect(toInput(draft({ minutes: "", iterations: "0", claims: "" }))).toMatchObject({
    wall_clock_ms: -1,
    iterations: -1,
    claims_per_gate: -1,
  });
  expect(input).toMatchObject({ wall_clock_ms: 90_000, usd: 5, tokens: 100_000, iterations: 300, claims_per_gate: 5 });
  expect(input.allow_hosts).toEqual(["a.example", "b.example", "c.example"]);
});

test("a refusal stands at the field that it names, else at the form", () => {
  for (const field of ["objective", "criterion", "risk", "dir", "limits", "provider", "model"]) {
    expect(Object.keys(errorsOf({ code: "refused", message: "no", hint: "do", field }))).toEqual([field]);
  }
  expect(errorsOf({ code: "internal", message: "no", hint: "", field: "" }).form?.message).toBe("no");
  expect(errorsOf({ code: "refused", message: "no", hint: "", field: "__proto__" }).form).toBeDefined();
});

test("ticks are offered when a try or a refusal asks for them", () => {
  const out = { detail: "", output: "", exit_code: 0, ms: 1 };
  expect(ticksFor([null], undefined)).toEqual({ passing: false, missing: false });
  expect(ticksFor([{ outcome: "passes_already", ...out }], undefined).passing).toBe(true);
  expect(ticksFor([{ outcome: "cannot_run", ...out }], undefined).missing).toBe(true);
  expect(ticksFor([], { message: "check 1 passes already", hint: "" }).passing).toBe(true);
  expect(ticksFor([], { message: "check 1 cannot run", hint: "" }).missing).toBe(true);
});

test("a goal can be duplicated, with the exit codes that stand in its checks' words", () => {
  const copy = fromInput(
    draftOf({
      ...blankView,
      objective: "again",
      check_states: [
        {
          type: "shell",
          name: "grep x f",
          words: "the command `grep x f` exits with 1 in web",
          outcome: "",
          detail: "",
          tail: "",
          ms: 0,
          claim: 0,
        },
      ],
    }),
  );
  expect(copy).toMatchObject({ objective: "again", minutes: "60", usd: "5", iterations: "300", tokens: "" });
  expect(copy.checks).toEqual([{ command: "grep x f", exitCode: "1", dir: "web" }]);
});

test("the draft survives, its permissions do not, and rubbish is an empty draft", () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (k: string) => kept.get(k) ?? null,
    setItem: (k: string, v: string) => void kept.set(k, v),
    removeItem: (k: string) => void kept.delete(k),
  };
  saveDraft(storage, draft({ allowPassing: true }));
  expect(savedDraft(storage)).toMatchObject({ objective: "make it green", allowPassing: false });
  saveDraft(storage, null);
  expect(savedDraft(storage)).toEqual(emptyDraft);
  for (const rubbish of ["{", "3", '{"checks":7}']) {
    expect(savedDraft({ getItem: () => rubbish }).checks.length).toBeGreaterThan(0);
  }
});
