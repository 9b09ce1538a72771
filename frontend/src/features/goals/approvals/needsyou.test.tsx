import { act } from "@/testing/act";
import { beforeEach, expect, test } from "vitest";
import type { FakeBridge } from "@/bridge/fake/bridge";
import type { AnswerInput, ApprovalView } from "@/bridge/types";
import type { App } from "@/store/app";
import { all, find, get, mount, press, until, write } from "@/testing/mount";
import { NeedsYou } from "./needsyou";
import { goalOffer, goalOfferLabel } from "./words";

const goal = "01m0running00000000000000a1";
let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  ({ app, bridge } = await mount(<NeedsYou goal={goal} />, undefined, (a) => a.approvals.load()));
});

const answers = () =>
  bridge.calls.filter((c) => c.method === "ApprovalAPI.Answer").map((c) => c.args[0] as AnswerInput[]);
const enabled = (id: string) => until(() => expect((get(id) as HTMLButtonElement).disabled).toBe(false));

function example(part: Partial<ApprovalView>): ApprovalView {
  const first = bridge.approvals[0];
  if (!first) throw new Error("no approval");
  return { ...first, always: false, ...part };
}

test("the oldest request is shown with all its arguments; answering it brings the next one", async () => {
  expect(get("asks").textContent).toContain("1 of 2");
  expect(get("approval-arguments").textContent).toContain("git push --force origin main");
  expect(find("ask-goal")).toBeNull();
  await enabled("ask-once");
  await press("ask-once");
  expect(answers()).toEqual([[{ goal_id: goal, request: "a1", allow: true, scope: "once", why: "" }]]);
  await until(() => expect(get("asks").dataset.request).toBe("a2"));
  await enabled("ask-goal");
  await press("ask-goal");
  expect(answers()[1]).toEqual([{ goal_id: goal, request: "a2", allow: true, scope: "host", why: "" }]);
  await until(() => expect(find("asks")).toBeNull());
});

test("a request that has just appeared takes no click", async () => {
  expect((get("ask-once") as HTMLButtonElement).disabled).toBe(true);
  await press("ask-once");
  expect(answers()).toEqual([]);
  await enabled("ask-once");
});

test("a denial takes a reason, which the agent reads", async () => {
  await enabled("ask-deny-reason");
  await press("ask-deny-reason");
  expect(answers()).toEqual([]);
  write("ask-reason", "never force a push");
  await press("ask-deny");
  expect(answers()).toEqual([
    [{ goal_id: goal, request: "a1", allow: false, scope: "once", why: "never force a push" }],
  ]);
});

test("the card takes the focus on demand alone; then 1, 2 and 3 answer", async () => {
  expect(get("asks").contains(document.activeElement)).toBe(false);
  act(() => app.set({ requestWanted: "a1" }));
  expect(document.activeElement).toBe(get("ask"));
  const key = (code: string) =>
    act(() => void document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true })));
  key("Digit1"); // too early
  expect(answers()).toEqual([]);
  await enabled("ask-once");
  key("Digit2"); // not offered
  expect(answers()).toEqual([]);
  key("Digit3");
  expect(answers()).toEqual([[{ goal_id: goal, request: "a1", allow: false, scope: "once", why: "" }]]);
  await until(() => expect(get("asks").dataset.request).toBe("a2"));
  expect(app.state.requestWanted).toBe("");
});

test("what a model wrote shows its hidden characters", async () => {
  bridge.approvals = [example({ arguments: '{"command":"rm \u202ex"}', why: "it deletes \u200by" })];
  await act(async () => app.approvals.load());
  expect(all("ask")[0]?.textContent).toContain("rm ‹U+202E›x");
  expect(all("ask")[0]?.textContent).toContain("it deletes ‹U+200B›y");
});

test("the answer for the goal names its host", () => {
  const open = example({ tool: "browser_open", arguments: '{"url":"https://example.org/a"}', hosts: ["example.org"] });
  const wide = { ...open, offers: [{ scope: "host" as const, covers: "" }] };
  const offer = goalOffer(wide);
  expect(offer && goalOfferLabel(wide, offer)).toBe("Allow example.org for this goal");
});
