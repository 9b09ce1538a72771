import { act } from "@/testing/act";
import { expect, test, beforeEach, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { blankView, changedProtection, staticGoals, terminalPane } from "@/bridge/fake/fixtures";
import { CallError } from "@/bridge/problem";
import type { GoalView, PaneInfo } from "@/bridge/types";
import type { App } from "@/store/app";
import { noPanes, withPaneList } from "@/store/panes";
import { all, find, get, mount, press, until, write } from "@/testing/mount";
import { resumeInputFor, suggestedLimit } from "./limitvalues";
import { ResumePanel } from "./panel";

let bridge: FakeBridge;
let app: App;

beforeEach(() => {
  bridge = new FakeBridge();
});

async function show(id: string, part: Partial<GoalView> = {}, panes: PaneInfo[] = []): Promise<GoalView> {
  const view = { ...(staticGoals.find((g) => g.id.startsWith(id)) ?? blankView), ...part };
  const drawn = await mount(<ResumePanel view={view} />, bridge, (a) =>
    a.set({ panes: withPaneList(noPanes, { ...noPanes, rev: 1, panes }) }),
  );
  app = drawn.app;
  return view;
}

/** The calls that the user's clicks caused, without those that a panel makes when it is rendered. */
const asked = () => bridge.calls.filter((c) => c.method !== "GoalAPI.ProtectedState").map((c) => [c.method, ...c.args]);
const unchanged = { protected: "", wall_clock_ms: 0, iterations: 0, claims_per_check: 0, tokens: 0, usd: 0 };

test("a question is shown and its answer goes back with the resume", async () => {
  const view = await show("01m0needs");
  expect(get("answer").textContent).toContain("second factor");
  write("answer-text", "I am logged in");
  await press("answer-send");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "I am logged in" }]]);
});

test("a question is not skipped by accident: without an answer the panel asks for one, or for a clear choice", async () => {
  const view = await show("01m0needs");
  await press("answer-send");
  expect(asked()).toEqual([]);
  expect(get("answer-missing").textContent).toContain("waits for an answer");
  expect(document.activeElement).toBe(get("answer-text"));
  await press("answer-skip");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "" }]]);
});

test("a goal that waits for an approval has no field beside it: its requests have their own card", async () => {
  await show("01m0needs", { asks: 1 });
  expect(find("answer")).toBeNull();
});

test("resuming from a button or a key leads to the question, and continues without an answer only when told to", async () => {
  const view = await show("01m0needs");
  await act(() => app.goals.resumeOrAnswer(view));
  expect(asked()).toEqual([]);
  expect(app.state.question?.text).toContain("second factor");
  await act(async () => app.state.question?.other?.run());
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "" }]]);
  await act(() => app.goals.resumeOrAnswer({ ...view, exit: "user_paused", reason: "you paused it" }));
  expect(asked()).toHaveLength(2);
});

test("a manual check that waits is accepted, or sent back with a reason", async () => {
  const view = await show("01m0waits");
  expect(get("answer").textContent).toContain("look like the shop");
  await press("answer-back");
  expect((get("answer-reject") as HTMLButtonElement).disabled).toBe(true);
  write("answer-text", "make it blue");
  await press("answer-reject");
  expect(asked()).toEqual([["GoalAPI.Reject", view.id, "make it blue"]]);
});

test("accepting is one click", async () => {
  const view = await show("01m0waits");
  await press("answer-accept");
  expect(asked()).toEqual([["GoalAPI.Accept", view.id]]);
});

test("a claim that no model decided can be accepted, or the model asked again", async () => {
  const view = await show("01m0waits", { criterion: [{ type: "model_question", question: "Is it there?" }] });
  expect(find("answer-accept")).not.toBeNull();
  await press("answer-again");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "" }]]);
});

test("a used-up limit is raised by as much again, and what is no number cannot be sent", async () => {
  const view = await show("01m0limit");
  expect((get("raise-minutes") as HTMLInputElement).value).toBe("120");
  write("raise-minutes", "soon");
  expect((get("answer-send") as HTMLButtonElement).disabled).toBe(true);
  write("raise-minutes", "90");
  await press("answer-send");
  expect(asked()).toEqual([
    [
      "GoalAPI.Resume",
      view.id,
      { note: "", protected: "", wall_clock_ms: 90 * 60_000, iterations: 300, claims_per_check: 0, tokens: -1, usd: 5 },
    ],
  ]);
});

test("a goal that is done is reopened with a note only", async () => {
  const view = await show("01m0done", { assurance: "tested" });
  await press("goal-reopen");
  expect((get("answer-send") as HTMLButtonElement).disabled).toBe(true);
  write("answer-text", "one is missing");
  await press("answer-send");
  const same = { protected: "", wall_clock_ms: 0, iterations: 0, claims_per_check: 0, tokens: 0, usd: 0 };
  expect(asked()).toEqual([["GoalAPI.Reopen", view.id, { note: "one is missing", ...same }]]);
});

test("a goal that is not done is reopened with why, and counts as such", async () => {
  const view = await show("01m0done", { assurance: "tested" });
  await press("goal-not-done");
  expect(get("answer").textContent).toContain("What is not done?");
  write("answer-text", "the cart is empty");
  await press("answer-send");
  const same = { protected: "", wall_clock_ms: 0, iterations: 0, claims_per_check: 0, tokens: 0, usd: 0 };
  expect(asked()).toEqual([["GoalAPI.Reopen", view.id, { note: "the cart is empty", ...same, not_done: true }]]);
});

test("a doubted pass is accepted, or goes back with the prepared note", async () => {
  const view = await show("01m0done");
  expect((get("answer-text") as HTMLTextAreaElement).value).toBe(view.reopen_note);
  await press("decide-accept");
  await press("decide-reopen");
  const same = { protected: "", wall_clock_ms: 0, iterations: 0, claims_per_check: 0, tokens: 0, usd: 0 };
  expect(asked()).toEqual([
    ["GoalAPI.Accept", view.id],
    ["GoalAPI.Reopen", view.id, { note: view.reopen_note, ...same }],
  ]);
  expect(bridge.goals.get(view.id)?.view.status, "the fake goal continues").toBe("running");
});

test("an accepted pass can still be reopened", async () => {
  await show("01m0done", { assurance_basis: "user" });
  expect([find("decide-accept"), find("goal-reopen")]).toEqual([null, get("goal-reopen")]);
});

test("a goal that waits for its model says since when, until when and why, and tries now", async () => {
  const view = await show("01m0parked", {
    reason: "the model: unreachable: connection refused",
    parked_since: new Date(Date.now() - 60_000).toISOString(),
    parked_until: new Date(Date.now() + 40_000).toISOString(),
  });
  expect(get("answer").textContent).toMatch(/Waiting for the model since .*\d\d:\d\d · next try in \d\d s/);
  expect(get("parked-why").textContent).toBe("unreachable: connection refused");
  await press("answer-resume");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "" }]]);
});

test("another model is chosen for a goal whose model is away, or needs a key", async () => {
  const view = await show("01m0parked", { exit: "needs_user", reason: "Model error: auth: HTTP 401" });
  await press("model-change");
  write("model-name", "qwen3");
  await press("model-use");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "", model: `${view.provider}/qwen3` }]]);
});

test("with another model come others for while it is away, at first those that the goal has", async () => {
  const options = { ...blankView.options, fallbacks: ["spare/small"] };
  const view = await show("01m0parked", { options });
  await press("model-change");
  expect(get("model-others").getAttribute("value")).toBe("spare/small");
  write("model-name", "qwen3");
  write("model-others", "spare, third/big ");
  await press("model-use");
  const model = `${view.provider}/qwen3, spare, third/big`;
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "", model }]]);
});

test("a goal that waits for a condition shows for what, the last look, and stops waiting at a click", async () => {
  const until = new Date(Date.now() + 3_595_000).toISOString();
  const reason = "Waiting: CI of pull request 12 · looks every 1 m";
  const view = await show("01m0parked", { exit: "waiting", reason, parked_until: until });
  expect(get("answer").textContent).toContain(reason);
  expect(get("waiting-left").textContent).toMatch(/ends in 59 m \d\d s/);
  const notes = [
    { seq: 1, kind: "looked", at: "", text: "2 looks so far, the last one: exit 8", afterStep: 1 },
  ] as const;
  act(() => {
    app.set({ detail: { ...app.state.detail, journal: { ...app.state.detail.journal, notes } } });
  });
  expect(get("waiting-look").textContent).toContain("exit 8");
  await press("answer-stop-waiting");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "" }]]);
});

const shownChanges = changedProtection.changes ?? [];
const versionOf = ({ path, sha256 }: { path: string; sha256: string }) => ({ path, sha256 });

/** The card ignores clicks and keys at first. */
const untilReady = () => until(() => expect((get("change-put-back") as HTMLButtonElement).disabled).toBe(false));

async function showChanged(part: Partial<GoalView>): Promise<GoalView> {
  bridge.protection = changedProtection;
  const view = await show("01m0needs", { tampered: true, ...part });
  await untilReady();
  return view;
}

test.each([
  ["change-keep", "1", { accept_changes: shownChanges.map(versionOf) }],
  ["change-put-back", "2", { protected: "restore" }],
])("changed files are kept or put back, by click or key: %s", async (id, digit, decision) => {
  const view = await showChanged({ account: "The total changed." });
  expect(get("change-reason").textContent).toBe("The agent says: The total changed.");
  await press(id);
  act(() =>
    get("answer").dispatchEvent(
      new KeyboardEvent("keydown", { code: `Digit${digit}`, bubbles: true, cancelable: true }),
    ),
  );
  await until(() => expect(asked()).toHaveLength(2));
  const resumed = ["GoalAPI.Resume", view.id, { ...unchanged, note: "", ...decision }];
  expect(asked()).toEqual([resumed, resumed]);
});

test("a goal with changed files can be stopped, and nothing is put back", async () => {
  const view = await showChanged({});
  await press("change-stop");
  expect(asked()).toEqual([["GoalAPI.Abort", view.id]]);
});

test("of two changes one is kept and the other put back", async () => {
  const view = await showChanged({});
  act(() => all("change-kept")[0]?.click());
  expect(get("change-keep").textContent).toContain("Keep 1, put back 1");
  await press("change-keep");
  const decision = { accept_changes: shownChanges.slice(1).map(versionOf), protected: "restore" };
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "", ...decision }]]);
});

test("a changed file says why it decides, and shows its change on a click", async () => {
  await showChanged({});
  expect(get("answer").textContent).toContain("package.json: the check takes its settings from it");
  expect(get("answer").textContent).not.toContain('+"test": "true"');
  act(() => all("change-diff-open")[1]?.click());
  expect(get("answer").textContent).toContain('+"test": "true"');
});

test("files that changed while the goal was paused are shown before it continues", async () => {
  bridge.protection = changedProtection;
  const view = await show("01m0needs");
  const message = "files that decide about the goal have changed: package.json";
  const refusal = new CallError({ code: "protected_changed", message, hint: "--accept-protected", field: "" });
  const real = bridge.call.bind(bridge);
  const call = vi.spyOn(bridge, "call");
  call.mockImplementationOnce(() => Promise.reject(refusal)).mockImplementation(real);
  write("answer-text", "I corrected it");
  await press("answer-send");
  await untilReady();
  await press("change-keep");
  expect(asked().at(-1)).toEqual([
    "GoalAPI.Resume",
    view.id,
    { ...unchanged, note: "I corrected it", accept_changes: shownChanges.map(versionOf) },
  ]);
  expect(app.state.protectedChanged).toBeNull();
});

test("a protected file that the agent asks for is unlocked with one click", async () => {
  const part = { unlock: "tests/cart.snap", proposal: "--- tests/cart.snap\n+exports" };
  const view = await show("01m0needs", part);
  expect(get("unlock-proposal").textContent).toContain("+exports");
  await press("unlock-allow");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "Yes.", unprotect: [part.unlock] }]]);
});

test("an answer can let the agent change a protected file", async () => {
  const view = await show("01m0needs");
  await press("unprotect-open");
  expect(all("unprotect-file").map((box) => box.dataset.path)).toEqual(["tests/cart.test.js", "jest.config.js"]);
  await press("unprotect-file");
  write("answer-text", "yes");
  await press("answer-send");
  expect(asked().at(-1)).toEqual([
    "GoalAPI.Resume",
    view.id,
    { ...unchanged, note: "yes", unprotect: ["tests/cart.test.js"] },
  ]);
});

test("limits that are not used up stay as they are, and empty is none", () => {
  const view = { ...blankView, iterations: 300, max_iterations: 300, usd: 1, max_usd: 5, max_tokens: 0 };
  expect(suggestedLimit(view)).toEqual({ minutes: "60", iterations: "600", tokens: "", usd: "5" });
  expect(resumeInputFor({ minutes: "", iterations: "", tokens: "", usd: "" })).toEqual({
    wall_clock_ms: -1,
    iterations: -1,
    tokens: -1,
    usd: -1,
  });
  expect(resumeInputFor({ minutes: "0", iterations: "", tokens: "", usd: "" })).toBeNull();
});

const needs = "01m0needs000000000000000b2";
const page = (part: Partial<PaneInfo> = {}): PaneInfo =>
  terminalPane("b3", { kind: "browser", title: "Sign in", goal_id: needs, driver: "", ...part });

test("a question about a page leads to it, and taking it over is one press", async () => {
  await show(needs, { asked_pane: "b3" }, [page()]);
  expect(get("answer-pane").textContent).toContain("hand it back: the goal resumes automatically");
  await press("answer-show-pane");
  expect(app.state.panes.shown?.id).toBe("b3");
  expect(app.state.route).toBe("workspace");
  const before = app.state.panes.shown;
  const call = vi.spyOn(bridge, "call").mockResolvedValue(true);
  await press("answer-take-over");
  expect(call).toHaveBeenCalledWith("BrowserAPI.TakeOver", "b3");
  expect(app.state.panes.shown).not.toBe(before);
});

test("a page that was taken over is handed back as the answer", async () => {
  await show(needs, { asked_pane: "b3" }, [page({ driver: "user" })]);
  expect(find("answer-take-over")).toBeNull();
  await press("answer-hand-back");
  expect(asked()).toEqual([["BrowserAPI.HandBack", "b3"]]);
});

test("a page of the user's own is shown and not taken over", async () => {
  await show(needs, { asked_pane: "b3" }, [page({ goal_id: "", driver: "user" })]);
  expect(get("answer-pane").textContent).toContain("Answer here when you are done");
  expect(find("answer-hand-back")).toBeNull();
});

test("a page that is gone is not named", async () => {
  await show(needs, { asked_pane: "b3" }, []);
  expect(find("answer-pane")).toBeNull();
});
