import { expect, test } from "vitest";
import { blankView } from "@/bridge/fake/fixtures";
import type { Check, GoalRequest, OptionsView, Policy, Worktree } from "@/bridge/types";
import { changeDraft, emptyDraft, saveDraft, savedDraft, type Draft } from "./draft";
import { checkOf, draftCheck, emptyCheck, type DraftCheck } from "./draftcheck";
import { count, dollars, minutes, paths, ports, words } from "./formats";
import { errorsOf, panelOf, validate } from "./errors";
import { draftOf, fromInput, fromScheduled, toInput } from "./input";
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
  expect(validate(draft({ invalid: { usd: "five" } })).limits?.message).toContain("number");
  expect(validate(draft({ invalid: { iterations: "-1" } })).iterations?.message).toContain("number");
  expect(validate(draft({ invalid: { max_output: "lots" } })).limits).toBeUndefined();
  expect(validate(draft({ invalid: { allow_local: "http" } })).allow_local?.message).toContain("port");
  expect(validate(draft({ checks: [{ ...emptyCheck, command: "x", exitCode: "ok" }] })).criterion).toBeDefined();
});

test("numbers and lists are written as one line of text", () => {
  expect([dollars.parse("$5.00"), dollars.parse("five"), dollars.parse("-1")]).toEqual([5, null, null]);
  expect([count.parse("100,000"), count.parse("2.7"), count.parse(" ")]).toEqual([100_000, 3, 0]);
  expect([minutes.parse("1.5"), minutes.format(90_000)]).toEqual([90_000, "1.5"]);
  expect([count.format(300), count.format(0), count.format(-1)]).toEqual(["300", "", ""]);
  expect(words.parse("a.example, b.example  c.example,")).toEqual(["a.example", "b.example", "c.example"]);
  expect(words.format(["a", "b"])).toBe("a b");
  expect(paths.parse("/srv/my notes, /srv/b,")).toEqual(["/srv/my notes", "/srv/b"]);
  expect(paths.format(["/srv/my notes", "/srv/b"])).toBe("/srv/my notes, /srv/b");
  expect([ports.parse("5432, 8080"), ports.parse("5432 http"), ports.parse("123456")]).toEqual([
    [5432, 8080],
    null,
    null,
  ]);
});

test("the input trims text, drops empty checks and switches off limits of 0", () => {
  const input = toInput(
    draft({
      dir: " /srv ",
      checks: [
        { ...emptyCheck, command: " make test ", exitCode: "3", dir: "web" },
        { ...emptyCheck, command: "  " },
      ],
      tokens: 100_000,
      deny_hosts: ["*.evil.example"],
      invalid: { usd: "five" },
    }),
  );
  expect(input.checks).toEqual([{ type: "shell", command: "make test", exit_code: 3, dir: "web" }]);
  expect(toInput(draft({ wall_clock_ms: 0, iterations: 0, claims_per_check: 0 }))).toMatchObject({
    wall_clock_ms: -1,
    iterations: -1,
    claims_per_check: -1,
  });
  expect(input).toMatchObject({ dir: "/srv", wall_clock_ms: 3_600_000, usd: 0, tokens: 100_000, iterations: 300 });
  expect(input).toMatchObject({ claims_per_check: 5, allow_hosts: [], deny_hosts: ["*.evil.example"] });
  expect(input).not.toHaveProperty("invalid");
});

test("a refusal is at the field that it names, else at the form", () => {
  for (const field of [
    "objective",
    "criterion",
    "risk",
    "dir",
    "limits",
    "provider",
    "model",
    "new_worktree",
    "deny_tools",
  ]) {
    expect(Object.keys(errorsOf({ code: "refused", message: "no", hint: "do", field }))).toEqual([field]);
  }
  expect(errorsOf({ code: "internal", message: "no", hint: "", field: "" }).form?.message).toBe("no");
  expect(errorsOf({ code: "refused", message: "no", hint: "", field: "__proto__" }).form).toBeDefined();
});

test("an error opens the part of the dialog in which it is shown", () => {
  const part = (field: string) => panelOf(errorsOf({ code: "refused", message: "no", hint: "", field }));
  expect(["dir", "criterion", "work", "effort", "limits", "allow_hosts", "secrets"].map(part)).toEqual([
    "",
    "",
    "risk",
    "model",
    "limits",
    "options",
    "options",
  ]);
});

test("a goal can be duplicated with its checks and how it was looked after", () => {
  const criterion: Check[] = [
    { type: "shell", command: "grep x f", exit_code: 1, dir: "web" },
    { type: "manual", note: "look", wait: true },
  ];
  const policy: Policy = {
    risk: "network_get",
    dir: "/srv",
    unconfined: true,
    deny_tools: ["terminal"],
    hidden: ["/h"],
  };
  const options: OptionsView = {
    review: "always",
    protect: ["tests/**"],
    run_outside: true,
    after: ["a"],
    parent: "p",
  };
  const copy = fromInput(draftOf({ ...blankView, objective: "again", criterion, policy, options }));
  expect(copy).toMatchObject({ objective: "again", wall_clock_ms: 3_600_000, usd: 5, iterations: 300, tokens: 0 });
  expect(copy).toMatchObject({ critic_every: 0, review: "always", protect: ["tests/**"], engine: "model" });
  expect(copy).toMatchObject({ risk: "network_get", dir: "/srv", deny_tools: ["terminal"], new_worktree: false });
  expect(copy.checks.map(checkOf)).toEqual(criterion);
  // What belongs to that goal alone, and what the user must confirm again.
  expect(copy).toMatchObject({ unconfined: false, run_outside: false, after: [], panes: [] });
  for (const name of ["hidden", "parent", "outside", "worktree"]) expect(copy).not.toHaveProperty(name);
});

test("a copy of a goal in a git worktree asks for a new one of the same folder", () => {
  const worktree: Worktree = {
    folder: "/srv/shop",
    repository: "/srv/shop",
    dir: "/data/worktrees/shop-x",
    branch: "goalpost/x",
    from: "main",
    base: "abc",
    common_dir: "/srv/shop/.git",
  };
  const policy: Policy = { risk: "write_local", dir: worktree.dir, allow_read: ["/data", worktree.common_dir] };
  const copy = fromInput(draftOf({ ...blankView, policy, options: { new_worktree: true, worktree } }));
  expect(copy).toMatchObject({ dir: "/srv/shop", new_worktree: true, allow_read: ["/data"] });
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
    { type: "visual", question: "is the cart empty?", url: "http://127.0.0.1:8080/cart", whole: true },
    { type: "model_question", question: "is it clear?", threshold: "high_confidence" },
    { type: "manual" },
  ];
  expect(all.map(draftCheck).map(checkOf)).toEqual(all);
});

test("a field that is set loses its invalid text, and the others keep theirs", () => {
  const d = draft({ invalid: { usd: "five", tokens: "many" } });
  expect(changeDraft(d, { usd: 5 })).toMatchObject({ usd: 5, invalid: { tokens: "many" } });
  expect(changeDraft(d, { usd: 5 }).invalid).not.toHaveProperty("usd");
  expect(changeDraft(d, { invalid: { usd: "x" } }).invalid).toEqual({ usd: "x" });
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
  expect(toInput(draft({ critic_every: 0 })).critic_every).toBe(-1);
  expect(toInput(draft({ critic_every: 7 })).critic_every).toBe(7);
  expect(validate(draft({ invalid: { critic_every: "often" } })).critic_every?.message).toContain("no critic");
});

test("what is granted besides is said while the advanced options are closed", () => {
  const granted = draft({
    allow_write: ["/srv/my notes", "/srv/b"],
    allow_read: ["/data"],
    allow_socket: ["/run/docker.sock"],
  });
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
  const first = draft({ allow_passing: true, deny_tools: ["terminal"], invalid: { usd: "five" } });
  saveDraft(storage, first);
  expect(savedDraft(storage)).toEqual({ ...first, allow_passing: false });
  saveDraft(storage, null);
  expect(savedDraft(storage)).toEqual(emptyDraft);
  const former = '{"objective":"x","checks":[],"minutes":"60","tokens":"","protect":"tests/**"}';
  for (const rubbish of ["{", "3", "[]", '{"checks":7}', '{"invalid":null}', '{"work":"src/"}', former]) {
    expect(savedDraft({ getItem: () => rubbish })).toEqual(emptyDraft);
  }
  expect(savedDraft({ getItem: () => '{"checks":[]}' }).checks).toEqual([emptyCheck]);
});

test("persona, effort, what an approval does and where commands decide are sent, and come back in a copy", () => {
  const draft: Draft = {
    ...emptyDraft,
    persona: "tester",
    effort: "high",
    on_ask: "deny",
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
    on_ask: "deny",
    checks: [{ where: "ssh:box" }],
  });
  expect(fromInput({ on_ask: "park" }).on_ask).toBe("");
});

test("what a goal will be allowed says what asks, and that nobody looks into what programs send", () => {
  for (const risk of ["read_only", "write_local", "network_get", "network_write", "spends_money"] as const)
    expect(describeAllowed(risk, "", []).asks).toMatch(/asks? you/);
  const { asks } = describeAllowed("network_get", "/work", ["docs.example"]);
  expect(asks).toContain("encrypted traffic cannot be inspected");
});

test("the goal of a schedule keeps its limits and what was confirmed for it", () => {
  const kept = { unconfined: true, allow_passing: true, allow_missing: true, run_outside: true };
  const stored = {
    ...toInput({ ...emptyDraft, objective: "again", ...kept, wall_clock_ms: 0, critic_every: 9 }),
    iterations: 0, // the usual number
    secrets: null, // as Go writes an empty list
  } as unknown as GoalRequest;
  expect(stored.wall_clock_ms, "no limit").toBe(-1);
  const draft = fromScheduled(stored);
  expect(draft).toMatchObject({ ...kept, wall_clock_ms: 0, critic_every: 9, iterations: 300, secrets: [] });
  expect(toInput(draft)).toMatchObject({ ...kept, wall_clock_ms: -1, critic_every: 9, iterations: 300 });
});
