import { act } from "react";
import { createRoot, type Root } from "react-dom/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { StartInput } from "@/bridge/types";
import { App } from "@/store/app";
import { AppContext } from "@/store/context";
import { TipProvider } from "@/ui/button";
import { NewGoalDialog } from "./dialog";

let root: Root;
let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  localStorage.clear();
  bridge = new FakeBridge({ empty: true });
  app = new App(bridge, { problem: () => undefined, done: () => undefined });
  root = createRoot(document.body.appendChild(document.createElement("div")));
  app.toggleGoals();
  await act(async () => {
    root.render(
      <AppContext value={app}>
        <TipProvider>
          <NewGoalDialog />
        </TipProvider>
      </AppContext>,
    );
    await Promise.resolve();
  });
});

afterEach(() => {
  act(() => root.unmount());
  document.body.replaceChildren();
});

function find(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-testid="${id}"]`);
}

function get(id: string): HTMLElement {
  const el = find(id);
  if (!el) throw new Error(`no ${id} on the page`);
  return el;
}

/** Writes as a person does: React listens to the native setter's input event. */
function write(id: string, text: string) {
  const el = get(id) as HTMLInputElement | HTMLTextAreaElement;
  const proto = el instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  act(() => {
    Object.getOwnPropertyDescriptor(proto, "value")?.set?.call(el, text);
    el.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

async function press(id: string) {
  await act(async () => {
    get(id).click();
    await new Promise((r) => setTimeout(r));
  });
}

const started = () => bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as StartInput | undefined;

test("what is missing stands at its field, and nothing is asked of Go", async () => {
  expect(document.activeElement).toBe(get("field-objective"));
  await press("start-goal");
  expect(get("error-objective").textContent).toContain("true at the end");
  expect(get("error-criterion").textContent).toContain("Write a check");
  expect(started()).toBeUndefined();
});

test("a refusal of Go stands at the field that it names", async () => {
  write("field-objective", "make it green");
  write("check-command", "make test");
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message: "no such folder", hint: "make it", field: "dir" });
  await press("start-goal");
  expect(get("error-dir").textContent).toBe("no such folder · make it");
  expect(app.state.newGoal.open).toBe(true);
  write("field-dir", "/tmp");
  expect(find("error-dir")).toBeNull();
});

test("a check that passes already needs an explicit tick", async () => {
  write("field-objective", "keep it green");
  write("check-command", "true");
  expect(find("allow-passing")).toBeNull();
  await press("check-try");
  expect(get("try-result").dataset.outcome).toBe("passes_already");
  await press("allow-passing");
  await press("start-goal");
  expect(started()).toMatchObject({
    objective: "keep it green",
    allow_passing: true,
    allow_missing: false,
    iterations: 300,
  });
  expect(app.state.newGoal.open).toBe(false);
  expect(app.state.detail.id).not.toBe("");
});

test("the draft survives closing, and goes when the goal has started", async () => {
  write("field-objective", "half a thought");
  act(() => app.closeNewGoal());
  expect(find("new-goal")).toBeNull();
  act(() => app.newGoal());
  expect((get("field-objective") as HTMLTextAreaElement).value).toBe("half a thought");
  write("check-command", "make test");
  await act(async () => {
    get("field-objective").dispatchEvent(
      new KeyboardEvent("keydown", { code: "Enter", ctrlKey: true, bubbles: true, cancelable: true }),
    );
    await new Promise((r) => setTimeout(r));
  });
  expect(started()?.checks).toEqual([{ type: "shell", command: "make test", exit_code: 0 }]);
  expect(localStorage.getItem("goalpost.new-goal")).toBeNull();
});

test("hostile words are shown as text", async () => {
  write("field-objective", "x");
  write("check-command", "y");
  const message = "<img src=x onerror=alert(1)>";
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message, hint: "", field: "" });
  await press("start-goal");
  expect(get("error-form").textContent).toContain(message);
  expect(document.querySelector("img")).toBeNull();
});
