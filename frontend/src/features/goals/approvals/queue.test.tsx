import { act } from "@/testing/act";
import { beforeEach, expect, test, vi } from "vitest";
import type { FakeBridge } from "@/bridge/fake/bridge";
import type { AnswerInput } from "@/bridge/types";
import { stripControl } from "@/lib/text";
import type { App } from "@/store/app";
import { all, mount, nth, press, until } from "@/testing/mount";
import { ApprovalsDialog } from "./queue";
import { sameKind } from "./grouping";

let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  ({ app, bridge } = await mount(<ApprovalsDialog />, undefined, (a) => a.approvals.open()));
});

const answers = () =>
  bridge.calls.filter((c) => c.method === "ApprovalAPI.Answer").map((c) => c.args[0] as AnswerInput[]);

test("a request shows everything: goal, all arguments, the form, why, and what each answer covers", () => {
  const text = all("approval")[1]?.textContent ?? "";
  for (const words of [
    "Send order",
    "POST https://shop.example/order",
    "name = Ada",
    "this goal may only change local files",
    "Allow sending data to shop.example for this goal",
  ])
    expect(text).toContain(words);
  expect(all("approval")[0]?.textContent).toContain("always needs approval");
});

test("allowing sends the chosen scope, and what is answered leaves the queue", async () => {
  await press(
    nth(
      all("approval-scope").filter((e) => e.dataset.scope === "host"),
      0,
    ),
  );
  await press(nth(all("approval-allow"), 1));
  expect(answers()).toEqual([
    [{ goal_id: "01m0running00000000000000a1", request: "a2", allow: true, scope: "host", why: "" }],
  ]);
  expect(all("approval")).toHaveLength(2);
  expect(all("grant")).toHaveLength(2);
});

test("two quick clicks answer one request, and nothing is pressed while an answer is on its way", async () => {
  let arrived = () => {};
  const sent: AnswerInput[][] = [];
  vi.spyOn(app.approvals, "answer").mockImplementation((list) => {
    sent.push(list);
    return new Promise((done) => (arrived = done));
  });
  const allow = () => nth(all("approval-allow"), 1) as HTMLButtonElement;
  const click = (detail: number) =>
    act(async () => {
      await Promise.resolve();
      allow().dispatchEvent(new MouseEvent("click", { bubbles: true, detail }));
    });
  await click(2);
  expect(sent).toHaveLength(0);
  await click(1);
  await click(1);
  expect(sent).toHaveLength(1);
  expect(allow().disabled).toBe(true);
  expect(all("approval-deny").every((b) => (b as HTMLButtonElement).disabled)).toBe(true);
  await act(async () => {
    await Promise.resolve();
    arrived();
  });
  expect(allow().disabled).toBe(false);
});

test("what a model wrote shows its hidden characters among what was allowed, too", async () => {
  const first = bridge.grants[0];
  if (!first) throw new Error("no grant");
  bridge.grants = [{ ...first, covers: "the command `rm \u202ex`" }];
  await act(async () => app.approvals.load());
  expect(all("grant")[0]?.textContent).toContain("the command `rm ‹U+202E›x`");
});

test("a grant is taken back", async () => {
  await press(nth(all("grant-revoke"), 0));
  expect(all("grant")).toHaveLength(0);
});

test("what programs may have open is taken back after asking", async () => {
  bridge.grants = bridge.grants.map((g) => ({ ...g, held: true }));
  await act(async () => app.approvals.load());
  await press(nth(all("grant-revoke"), 0));
  expect(all("grant")).toHaveLength(1);
  expect(app.state.question?.text).toContain("All its terminals, servers and running commands stop");
  await act(async () => app.state.question?.run());
  expect(all("grant")).toHaveLength(0);
});

test("several of one kind are answered together", async () => {
  const first = bridge.approvals[0];
  if (!first) throw new Error("no approval");
  const covers = [{ scope: "once" as const, covers: "this one call: the other" }];
  const usual = { ...first, always: false, offers: covers };
  bridge.approvals = [usual, { ...usual, request: "a9", arguments: '{"command":"git push other"}' }];
  await act(async () => app.approvals.load());
  expect(all("approval-others")).toHaveLength(0);
  await press(nth(all("approval-all"), 0));
  expect(all("approval-others")[0]?.textContent).toContain(
    "Run git push othercommandgit push otherAllow this one call: the other",
  );
  await press(nth(all("approval-deny"), 0));
  expect(answers()[0]?.map((a) => [a.request, a.allow])).toEqual([
    ["a1", false],
    ["a9", false],
  ]);
  expect(all("approvals-empty")).toHaveLength(1);
});

test("what nobody sees is marked, so that a request reads as it runs", async () => {
  expect(stripControl("ls \u202Etxt.exe\u200B — é 日本")).toBe("ls ‹U+202E›txt.exe‹U+200B› — é 日本");
  const first = bridge.approvals[0];
  if (!first) throw new Error("no approval");
  bridge.approvals = [{ ...first, arguments: JSON.stringify({ command: "rm \u202Ex" }) }];
  await act(async () => app.approvals.load());
  expect(all("approval-arguments")[0]?.textContent).toContain("rm ‹U+202E›x");
});

test("one answer is never for what was asked for another reason elsewhere, nor for what always asks", () => {
  const [a, b] = bridge.approvals;
  if (!a || !b) throw new Error("no approvals");
  expect(sameKind(a, b)).toBe(false);
  const usual = { ...a, always: false };
  expect(sameKind(usual, { ...usual, request: "a9", why: "something else" })).toBe(true);
  expect(sameKind(usual, { ...usual, goal_id: "another" })).toBe(true);
  expect(sameKind(usual, { ...usual, goal_id: "another", why: "something else" })).toBe(false);
  expect(sameKind({ ...a, always: true }, { ...a, always: true, request: "a9" })).toBe(false);
  const access = { ...usual, offers: [{ scope: "reach" as const, covers: "reading /srv/docs" }] };
  expect(sameKind(access, { ...access, request: "a9" })).toBe(true);
  expect(sameKind(access, { ...access, goal_id: "another" })).toBe(false);
});

test("goals that wait for a word are beside the requests, with what they wait for, and open", async () => {
  act(() => app.sync.start());
  const waits = await until(() => {
    const found = all("needs-word-goal");
    expect(found.length).toBeGreaterThan(0);
    return found;
  });
  const asked = new Set(app.state.approvals.map((a) => a.goal_id));
  expect(waits.filter((w) => asked.has(w.dataset.goal ?? ""))).toEqual([]);
  expect(waits.map((w) => w.textContent).join("\n")).toContain("The agent asks: The page wants a second");
  const first = waits[0]?.dataset.goal;
  await press(nth(all("needs-word-open"), 0));
  expect(app.state.approvalsOpen).toBe(false);
  expect(app.state.detail.id).toBe(first);
});
