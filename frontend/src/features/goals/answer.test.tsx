import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { blankView, stillGoals } from "@/bridge/fake/seed";
import type { GoalView } from "@/bridge/types";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { Answer, raiseInput, raised } from "./answer";

let root: Root;
let bridge: FakeBridge;

beforeEach(() => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  bridge = new FakeBridge();
  root = createRoot(document.body.appendChild(document.createElement("div")));
});

afterEach(() => {
  act(() => root.unmount());
  document.body.replaceChildren();
});

function show(id: string): GoalView {
  const view = stillGoals.find((g) => g.id.startsWith(id)) ?? blankView;
  const app = new App(bridge, { problem: () => undefined, done: () => undefined });
  act(() => {
    root.render(
      <AppContext value={app}>
        <Answer view={view} />
      </AppContext>,
    );
  });
  return view;
}

function get(id: string): HTMLElement {
  const el = document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
  if (!el) throw new Error(`no ${id} on the page`);
  return el;
}

async function press(id: string) {
  await act(async () => {
    get(id).click();
    await Promise.resolve();
  });
}

function write(id: string, text: string) {
  const el = get(id) as HTMLTextAreaElement | HTMLInputElement;
  const proto = el instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  act(() => {
    Object.getOwnPropertyDescriptor(proto, "value")?.set?.call(el, text);
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

const asked = () => bridge.calls.map((c) => [c.method, ...c.args]);
const unchanged = { wall_clock_ms: 0, iterations: 0, claims_per_gate: 0, tokens: 0, usd: 0 };

test("a question is shown and its answer goes back with the resume", async () => {
  const view = show("01m0needs");
  expect(get("answer").textContent).toContain("second factor");
  write("answer-text", "I am logged in");
  await press("answer-send");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "I am logged in" }]]);
});

test("a manual check that waits is accepted, or sent back with a reason", async () => {
  const view = show("01m0waits");
  expect(get("answer").textContent).toContain("look like the shop");
  await press("answer-back");
  expect((get("answer-reject") as HTMLButtonElement).disabled).toBe(true);
  write("answer-text", "make it blue");
  await press("answer-reject");
  expect(asked()).toEqual([["GoalAPI.Reject", view.id, "make it blue"]]);
});

test("accepting is one click", async () => {
  const view = show("01m0waits");
  await press("answer-accept");
  expect(asked()).toEqual([["GoalAPI.Accept", view.id]]);
});

test("a used-up limit is raised by as much again, and what is no number cannot be sent", async () => {
  const view = show("01m0limit");
  expect((get("raise-minutes") as HTMLInputElement).value).toBe("120");
  write("raise-minutes", "soon");
  expect((get("answer-send") as HTMLButtonElement).disabled).toBe(true);
  write("raise-minutes", "90");
  await press("answer-send");
  expect(asked()).toEqual([
    [
      "GoalAPI.Resume",
      view.id,
      { note: "", wall_clock_ms: 90 * 60_000, iterations: 300, claims_per_gate: 0, tokens: -1, usd: 5 },
    ],
  ]);
});

test("a goal that is done is reopened with a note only", async () => {
  const view = show("01m0done");
  await press("goal-reopen");
  expect((get("answer-send") as HTMLButtonElement).disabled).toBe(true);
  write("answer-text", "one is missing");
  await press("answer-send");
  expect(asked()).toEqual([["GoalAPI.Reopen", view.id, "one is missing"]]);
});

test("a parked goal counts down and goes on now", async () => {
  const view = show("01m0parked");
  expect(get("parked-left").textContent).toContain("goes on");
  await press("answer-resume");
  expect(asked()).toEqual([["GoalAPI.Resume", view.id, { ...unchanged, note: "" }]]);
});

test("limits that are not used up stay as they are, and empty is none", () => {
  const view = { ...blankView, iterations: 300, max_iterations: 300, usd: 1, max_usd: 5, max_tokens: 0 };
  expect(raised(view)).toEqual({ minutes: "60", iterations: "600", tokens: "", usd: "5" });
  expect(raiseInput({ minutes: "", iterations: "", tokens: "", usd: "" })).toEqual({
    wall_clock_ms: -1,
    iterations: -1,
    tokens: -1,
    usd: -1,
  });
  expect(raiseInput({ minutes: "0", iterations: "", tokens: "", usd: "" })).toBeNull();
});
