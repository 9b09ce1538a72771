import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import { emptyDetail } from "@/store/goaldetail";
import { cardAfterEvent, groupOf, questionIn } from "@/store/goalcards";
import { blankView } from "@/bridge/fake/fixtures";
import { all, get, mount, until } from "@/testing/mount";
import { NavRail } from "./navrail";
import { StatusBar } from "./statusbar";
import { showsGoal } from "./needsyoutoasts";
import { useWindowTitle, windowTitle } from "./windowtitle";
import { initialState } from "@/store/state";

function Frame() {
  useWindowTitle();
  return (
    <>
      <NavRail />
      <StatusBar />
    </>
  );
}

test("one count: the rail, the status bar and the window's title", async () => {
  const bridge = new FakeBridge();
  const { app } = await mount(<Frame />, bridge, (a) => a.start());
  await until(() => expect(app.state.goals.loaded).toBe(true));
  const needs = Number(get("rail-badge").textContent);
  expect(needs).toBeGreaterThan(1);
  expect(get("status-needs-you").textContent).toBe(`${needs} need you`);
  expect(document.title).toBe(`(${needs}) Goalpost`);
  act(() => {
    bridge.say(livelyId, {
      type: "approval_requested",
      request: "a1",
      step_id: 1,
      tool: "browser_open",
      arguments: "{}",
      effect: { risk: "network_get" },
      why: "",
      offers: null,
    });
  });
  await until(() => expect(get("rail-badge").textContent).toBe(String(needs + 1)));
  expect(document.title).toBe(`(${needs + 1}) Goalpost`);
  expect(all("status-approvals")).toHaveLength(0);
});

test("a goal is in the group of those that need the user from its request until the answer", () => {
  const card = { ...blankView, status: "running" as const, exit: "" as const };
  const event = { goal_id: card.id, run_id: "r", seq: 1, at: "" };
  const body = {
    request: "a1",
    step_id: 1,
    tool: "",
    arguments: "",
    effect: { risk: "" as const },
    why: "",
    offers: null,
  };
  const asking = cardAfterEvent(card, { ...event, ...body, type: "approval_requested" });
  expect([groupOf(card), groupOf(asking)]).toEqual(["running", "needs_you"]);
  const answered = cardAfterEvent(asking, {
    ...event,
    type: "approval_resolved",
    request: "a1",
    allowed: true,
    by: "user",
  });
  expect(groupOf(answered)).toBe("running");
  const done = {
    ...event,
    type: "ended" as const,
    status: "failed" as const,
    exit: "error" as const,
    verified: false,
    report: [],
  };
  expect(groupOf(cardAfterEvent(asking, done))).toBe("failed");
});

test("a question is what the agent asks, and nothing else that a goal waits for", () => {
  const card = { status: "paused" as const, exit: "needs_user" as const, reason: "the agent asks: Which port?" };
  expect(questionIn(card)).toBe("Which port?");
  expect(questionIn({ ...card, reason: "The agent asks: Which port?" })).toBe("Which port?");
  expect(questionIn({ ...card, reason: "The agent asks: Which port?" })).toBe("Which port?");
  expect(questionIn({ ...card, reason: "write_file waits for an approval" })).toBe("");
  expect(questionIn({ ...card, exit: "user_paused" })).toBe("");
});

test("a message comes only for a goal that is not on the screen", () => {
  const here = { ...initialState, detail: emptyDetail("a") };
  expect(showsGoal(here, "a")).toBe(true);
  expect(showsGoal(here, "b")).toBe(false);
  expect(showsGoal({ ...here, drawer: false }, "a")).toBe(false);
  expect(showsGoal({ ...here, route: "goals" }, "a")).toBe(true);
  expect(showsGoal({ ...here, route: "settings" }, "a")).toBe(false);
  expect(windowTitle(0)).toBe("Goalpost");
});
