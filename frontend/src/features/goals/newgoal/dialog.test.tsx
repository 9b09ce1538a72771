import { act } from "react";
import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { StartInput } from "@/bridge/types";
import type { App } from "@/store/app";
import { find, get, mount, press, until, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

let bridge: FakeBridge;
let app: App;

beforeEach(async () => {
  localStorage.clear();
  ({ app, bridge } = await mount(<NewGoalDialog />, new FakeBridge({ empty: true }), (a) => a.toggleGoals()));
});

const started = () => bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as StartInput | undefined;

test("what is missing is at its field, and nothing is asked of Go", async () => {
  expect(document.activeElement).toBe(get("field-objective"));
  await press("start-goal");
  expect(get("error-objective").textContent).toContain("true at the end");
  expect(get("error-criterion").textContent).toContain("Add a check");
  expect(started()).toBeUndefined();
});

test("a refusal of Go is at the field that it names", async () => {
  write("field-objective", "make it green");
  write("check-command", "make test");
  bridge.refusals.set("GoalAPI.Start", { code: "refused", message: "no such folder", hint: "make it", field: "dir" });
  await press("start-goal");
  expect(get("error-dir").textContent).toBe("no such folder · make it");
  expect(app.state.newGoal.open).toBe(true);
  write("field-dir", "/tmp");
  expect(find("error-dir")).toBeNull();
});

test("allowed hosts that open nothing at this risk are said", async () => {
  await press("more");
  expect(find("idle-hosts")).toBeNull();
  write("field-allowHosts", "docs.example a.example:8443");
  expect(get("idle-hosts").textContent).toContain("docs.example, a.example:8443 has no effect");
  await press("risk-network_get");
  expect(find("idle-hosts")).toBeNull();
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

test("a folder's criterion says what it means and whom its checks could contact, before it is taken over", async () => {
  write("field-dir", "/home/ada/shop");
  await until(() => get("proposal-open")); // Go is asked a little after the last key
  await press("proposal-open");
  expect(get("proposal-words").textContent).toContain("Done when the command `npm test`");
  expect(get("proposal-hosts").textContent).toContain("can contact shop.example");
  await press("proposal-take");
  write("field-objective", "fill the cart");
  await press("start-goal");
  expect(started()).toMatchObject({ checks: [{ command: "npm test" }, { url: "https://shop.example/" }] });
});
