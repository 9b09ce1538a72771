import { expect, test } from "vitest";
import { blankView } from "@/bridge/fake/fixtures";
import type { Check } from "@/bridge/types";
import { emptyDraft, saveDraft, savedDraft, type Draft } from "./draft";
import { checkOf, draftCheck, emptyCheck, type DraftCheck } from "./draftcheck";
import { errorsOf, overridesFor, validate } from "./errors";
import { draftOf, fromInput, toInput } from "./input";
import { describeAllowed, describeExtraAccess } from "./labels";

const draft = (part: Partial<Draft> = {}): Draft => ({
  ...emptyDraft,
  objective: "make it green",
  checks: [{ ...emptyCheck, command: "make test" }],
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
  expect(validate(draft({ checks: [{ ...emptyCheck, command: "x", exitCode: "ok" }] })).criterion).toBeDefined();
});

test("the input says units, drops empty checks and splits lists", () => {
  const input = toInput(
    draft({
      checks: [
        { ...emptyCheck, command: " make test ", exitCode: "3", dir: "web" },
        { ...emptyCheck, command: "  " },
      ],
      minutes: "1.5",
      usd: "$5",
      tokens: "100,000",
      allowHosts: "a.example, b.example  c.example",
      denyHosts: "*.evil.example",
    }),
  );
  expect(input.checks).toEqual([{ type: "shell", command: "make test", exit_code: 3, dir: "web" }]);
  expect(toInput(draft({ minutes: "", iterations: "0", claims: "" }))).toMatchObject({
    wall_clock_ms: -1,
    iterations: -1,
    claims_per_check: -1,
  });
  expect(input).toMatchObject({ wall_clock_ms: 90_000, usd: 5, tokens: 100_000, iterations: 300, claims_per_check: 5 });
  expect(input.allow_hosts).toEqual(["a.example", "b.example", "c.example"]);
  expect(input.deny_hosts).toEqual(["*.evil.example"]);
});

test("a refusal is at the field that it names, else at the form", () => {
  for (const field of ["objective", "criterion", "risk", "dir", "limits", "provider", "model"]) {
    expect(Object.keys(errorsOf({ code: "refused", message: "no", hint: "do", field }))).toEqual([field]);
  }
  expect(errorsOf({ code: "internal", message: "no", hint: "", field: "" }).form?.message).toBe("no");
  expect(errorsOf({ code: "refused", message: "no", hint: "", field: "__proto__" }).form).toBeDefined();
});

test("ticks are offered when a try or a refusal asks for them", () => {
  const out = { detail: "", output: "", exit_code: 0, ms: 1 };
  expect(overridesFor([null], undefined)).toEqual({ passing: false, missing: false });
  expect(overridesFor([{ outcome: "passes_already", ...out }], undefined).passing).toBe(true);
  expect(overridesFor([{ outcome: "cannot_run", ...out }], undefined).missing).toBe(true);
  expect(overridesFor([], { message: "check 1 passes already", hint: "" }).passing).toBe(true);
  expect(overridesFor([], { message: "check 1 cannot run", hint: "" }).missing).toBe(true);
});

test("a goal can be duplicated with its checks and how it was looked after", () => {
  const criterion: Check[] = [
    { type: "shell", command: "grep x f", exit_code: 1, dir: "web" },
    { type: "manual", note: "look", wait: true },
  ];
  const options = { critic_every: 0, review: "always", protect: ["tests/**"] } as const;
  const copy = fromInput(
    draftOf({ ...blankView, objective: "again", criterion, options: { ...options, protect: ["tests/**"] } }),
  );
  expect(copy).toMatchObject({ objective: "again", minutes: "60", usd: "5", iterations: "300", tokens: "" });
  expect(copy).toMatchObject({ criticEvery: "", review: "always", protect: "tests/**" });
  expect(copy.checks.map(checkOf)).toEqual(criterion);
});

test("every type of check is written without what is empty, and read back", () => {
  const all: Check[] = [
    { type: "http", url: "http://127.0.0.1:8080/", status: 201, body_contains: "ok", predicate: "response.ok" },
    { type: "http", url: "http://127.0.0.1:8080/", method: "POST" },
    { type: "file", path: "a.txt", min_size: 3, sha256: "ff", matches: "x+" },
    { type: "file", path: "a.txt", absent: true },
    { type: "json_predicate", expr: "response.ok === true" },
    { type: "json_predicate", expr: "response.n > 3", from: "file", path: "out.json" },
    { type: "json_predicate", expr: "response.n > 3", from: "command", command: "cat out.json" },
    { type: "json_predicate", expr: "response.n > 3", from: "url", url: "http://127.0.0.1:1/" },
    { type: "visual", question: "is the cart empty?", url: "http://127.0.0.1:8080/cart" },
    { type: "model_question", question: "is it clear?", threshold: "high_confidence" },
    { type: "manual" },
  ];
  expect(all.map(draftCheck).map(checkOf)).toEqual(all);
});

test("each type of check says what it needs", () => {
  const wrong: Partial<DraftCheck>[] = [
    { type: "http", url: "http://x/", status: "ok" },
    { type: "file", path: "a", minSize: "big" },
    { type: "json_predicate", expr: "response", from: "file" },
    { type: "json_predicate", expr: "response", from: "command" },
    { type: "json_predicate", expr: "response", from: "url" },
  ];
  for (const c of wrong) expect(validate(draft({ checks: [{ ...emptyCheck, ...c }] })).criterion).toBeDefined();
  for (const type of ["http", "file", "json_predicate", "visual", "model_question"] as const) {
    expect(validate(draft({ checks: [{ ...emptyCheck, type }] })).criterion).toBeDefined();
  }
  expect(validate(draft({ checks: [{ ...emptyCheck, type: "manual" }] }))).toEqual({});
});

test("a critic that is switched off is said so, and one that is no number is refused", () => {
  expect(toInput(draft({ criticEvery: "" })).critic_every).toBe(-1);
  expect(toInput(draft({ criticEvery: "7" })).critic_every).toBe(7);
  expect(validate(draft({ criticEvery: "often" })).critic_every).toBeDefined();
});

test("paths may hold spaces, and what is granted besides is said while the advanced options are closed", () => {
  const granted = draft({ allowWrite: "/srv/my notes, /srv/b", allowRead: "/data", allowSocket: "/run/docker.sock" });
  const input = toInput(granted);
  expect(input).toMatchObject({
    allow_write: ["/srv/my notes", "/srv/b"],
    allow_read: ["/data"],
    allow_socket: ["/run/docker.sock"],
  });
  expect(fromInput(input)).toMatchObject({ allowWrite: "/srv/my notes, /srv/b", allowRead: "/data" });
  expect(describeExtraAccess(granted)).toBe(
    "It can also write to /srv/my notes, /srv/b; read /data; use the sockets /run/docker.sock with your permissions.",
  );
  expect(describeExtraAccess(draft())).toBe("");
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

test("persona, effort, what an approval does and where commands decide are sent, and come back in a copy", () => {
  const draft: Draft = {
    ...emptyDraft,
    persona: "tester",
    effort: "high",
    onAsk: "deny",
    checks: [{ ...emptyCheck, command: "make test", where: "ssh:box" }],
  };
  const input = toInput(draft);
  expect(input).toMatchObject({
    persona: "tester",
    effort: "high",
    on_ask: "deny",
    checks: [{ command: "make test", where: "ssh:box" }],
  });
  expect(fromInput(input)).toMatchObject({
    persona: "tester",
    effort: "high",
    onAsk: "deny",
    checks: [{ where: "ssh:box" }],
  });
  expect(toInput(emptyDraft)).toMatchObject({ persona: "", effort: "", on_ask: "" });
  expect(fromInput({ on_ask: "park" }).onAsk).toBe("");
});

test("what a goal will be allowed says what asks, and that nobody looks into what programs send", () => {
  for (const risk of ["read_only", "write_local", "network_get", "network_write", "spends_money"] as const)
    expect(describeAllowed(risk, "", [])).toMatch(/asks? you/);
  expect(describeAllowed("network_get", "/work", ["docs.example"])).toContain("encrypted traffic cannot be inspected");
});
