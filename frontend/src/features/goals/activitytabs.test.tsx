import { act } from "@/testing/act";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { FakeBridge, livelyId } from "@/bridge/fake/bridge";
import type { App } from "@/store/app";
import { useAppState } from "@/store/context";
import { all, find, get, mount, nth, press, until } from "@/testing/mount";
import { ActivityTabs } from "./activitytabs";

let bridge: FakeBridge;
let app: App;

function Selected() {
  const view = useAppState((s) => s.detail.view);
  return view ? <ActivityTabs key={view.id} view={view} /> : null;
}

// The module is loaded when it is first needed, which is slow on a busy machine.
beforeAll(() => import("./replay/replay"));

beforeEach(async () => {
  ({ app, bridge } = await mount(<Selected />, new FakeBridge({ finish: true }), (a) => a.start()));
});

const key = (code: string, more: KeyboardEventInit = {}) => {
  act(() => {
    window.dispatchEvent(new KeyboardEvent("keydown", { code, cancelable: true, ...more }));
  });
};
const ms = () => Number(get("replay").dataset.ms);

async function show(goal: string) {
  act(() => app.sync.select(goal));
  await until(() => expect(app.state.detail.stepsLoaded && app.state.detail.journalLoaded).toBe(true));
  await press("story-replay");
}

test("a goal without panes says that nothing was recorded", async () => {
  await show("01m0done0000000000000000e5");
  await until(() => expect(find("replay-empty")?.textContent ?? "").toContain("Nothing was recorded"));
});

test("the keys play, jump and go from step to step; the step of the moment leads to the log and back", async () => {
  await show(livelyId);
  await until(() => expect(find("replay")).not.toBeNull());
  expect(all("replay-pane").map((p) => p.dataset.pane)).toEqual(["t2", "b1"]);
  const steps = app.state.detail.steps;
  key("ArrowRight", { shiftKey: true });
  key("ArrowRight", { shiftKey: true });
  expect(ms()).toBe(steps[1]?.at_ms);
  key("ArrowRight");
  expect(ms()).toBe((steps[1]?.at_ms ?? 0) + 5_000);
  key("Space");
  expect(get("replay-play").dataset.playing).toBe("true");
  key("Space");
  expect(get("replay-play").dataset.playing).toBe("false");
  key("End");
  expect(get("replay-step").dataset.n).toBe("13");
  expect(get("replay-scrubber").getAttribute("aria-valuetext")).toContain("step 13: Claimed completion");
  expect(get("replay-spent").textContent).toContain("$0.50");

  await press("replay-summary");
  expect(get("replay-summary").getAttribute("aria-pressed")).toBe("true");
  await press("replay-summary");
  expect(get("replay-play").dataset.playing).toBe("false");

  await press("replay-to-log");
  await until(() => expect(find("step-log")).not.toBeNull());
  expect(get("step-log").dataset.follow).toBe("false");
  await press("story-replay");
  await until(() => expect(find("replay")).not.toBeNull());
  expect(ms()).toBe(0);
});

test("what cannot be read is said, and read again", async () => {
  bridge.refusals.set("GoalAPI.Recording", { code: "internal", message: "recording: no space", hint: "", field: "" });
  await show(livelyId);
  await until(() => expect(document.querySelector('[role="alert"]')?.textContent ?? "").toContain("no space"));
  await press(nth([...document.querySelectorAll<HTMLElement>('[role="alert"] button')], 0));
  await until(() => expect(find("replay")).not.toBeNull());
});

test("1 to 6 show the tabs; the checks have the verdicts of each claim", async () => {
  await show(livelyId);
  key("Digit3");
  await until(() => expect(find("checks-tab")).not.toBeNull());
  expect(all("checks-claim").length).toBeGreaterThan(0);
  expect(get("story-checks").textContent).toMatch(/^Checks\d\/\d$/);
  await press("checks-again");
  await until(() => expect(get("checks-result").textContent).toMatch(/^The checks/));
  key("Digit1");
  await until(() => expect(find("step-log")).not.toBeNull());
  key("Digit2", { ctrlKey: true });
  expect(find("step-log")).not.toBeNull();
});
