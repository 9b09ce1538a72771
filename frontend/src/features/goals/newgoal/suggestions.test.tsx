import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalRequest, SuggestInput, TryInput } from "@/bridge/types";
import { all, find, get, mount, nth, press, until, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

let bridge: FakeBridge;

beforeEach(async () => {
  localStorage.clear();
  ({ bridge } = await mount(<NewGoalDialog />, new FakeBridge({ empty: true }), (a) => a.toggleGoals()));
});

const outcomes = () => all("suggestion").map((s) => s.dataset.outcome);
const ticked = () => all("suggestion-add").map((box) => (box as HTMLInputElement).checked);
const started = () => bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as GoalRequest | undefined;
const asked = () => bridge.calls.filter((c) => c.method === "GoalAPI.Suggest").map((c) => c.args[0] as SuggestInput);

async function suggest() {
  write("field-objective", "Make coupon codes work");
  write("field-dir", "/home/ada/shop");
  await press("suggest-checks");
  await until(() => expect(get("suggest-state").dataset.state).toBe("found"));
}

test("what runs and fails now is first and ticked, what passes is folded, and a model's word waits for the user", async () => {
  expect((get("suggest-checks") as HTMLButtonElement).disabled).toBe(true);
  expect(find("check-command")).not.toBeNull();
  await suggest();
  expect(outcomes()).toEqual(["fails_now", ""]);
  expect(ticked()).toEqual([true, false]);
  expect(find("check-command")).toBeNull(); // the empty check is replaced
  expect(get("suggestions-useless").textContent).toBe("1 more: passes already");
  const tries = bridge.calls.filter((c) => c.method === "GoalAPI.TrySuggested").map((c) => c.args[0] as TryInput);
  expect(tries.map((t) => [t.unconfined, t.allow_local])).toEqual([
    [false, []],
    [false, [8080]],
  ]);
  await press("start-goal");
  expect(started()?.checks).toEqual([{ type: "shell", command: "go test ./cart/...", exit_code: 0 }]);
});

test("checks are suggested without the model when the user stops typing", async () => {
  write("field-dir", "/home/ada/shop");
  write("field-objective", "Make coupon codes work");
  await until(() => expect(ticked()).toEqual([true, false]));
  expect(asked().map((a) => a.no_model)).toEqual([true]);
  const tries = () => bridge.calls.filter((c) => c.method === "GoalAPI.TrySuggested").length;
  expect(tries()).toBe(2);
  write("field-objective", "Make coupon codes work twice");
  await until(() => expect(asked().length).toBe(2));
  await until(() => expect(get("suggest-state").dataset.state).toBe("found"));
  expect(tries()).toBe(2);
});

test("a tick that was taken away stays away, and one can be set on what passes already", async () => {
  await suggest();
  await press("suggestion-add");
  expect(ticked()).toEqual([false, false]);
  await press("start-goal");
  expect(get("error-criterion").textContent).toContain("Tick or add a check");
  await press("suggest-checks");
  await until(() => expect(get("suggest-state").dataset.state).toBe("found"));
  expect(ticked()).toEqual([false, false]);
  await press("suggestions-useless");
  await press(nth(all("suggestion-add"), 2));
  await press("start-goal");
  expect(started()).toMatchObject({ checks: [{ type: "http", url: "http://127.0.0.1:8080/" }], allow_local: [8080] });
});

test("a suggestion is edited as one of the user's own, with its result until it changes", async () => {
  await suggest();
  await press("suggestion-edit");
  expect((get("check-command") as HTMLInputElement).value).toBe("go test ./cart/...");
  expect(get("try-result").dataset.outcome).toBe("fails_now");
  write("check-command", "go test ./...");
  expect(find("try-result")).toBeNull();
  await press("check-add");
  expect(all("check-row").length).toBe(2);
});

test("nothing is added to what the user writes", async () => {
  write("check-command", "make");
  await suggest();
  expect(ticked()).toEqual([false, false]);
  expect(all("check-row").length).toBe(1);
});

test("where nothing is found it says what to write", async () => {
  write("field-objective", "Something new");
  await press("suggest-checks");
  await until(() => expect(find("suggest-empty")).not.toBeNull());
  expect(get("suggest-empty").textContent).toContain("Write a check that fails now");
  expect(get("suggest-note").textContent).toBe("No model was asked, because none is connected.");
});

test("a refusal is shown, and a try that is refused says why", async () => {
  bridge.refusals.set("GoalAPI.Suggest", { code: "refused", message: "no such folder", hint: "make it", field: "dir" });
  write("field-objective", "x");
  await press("suggest-checks");
  await until(() => expect(find("suggest-problem")).not.toBeNull());
  expect(get("suggest-problem").textContent).toBe("no such folder · make it");
  bridge.refusals.clear();
  bridge.refusals.set("GoalAPI.TrySuggested", {
    code: "refused",
    message: "not tried: too large",
    hint: "",
    field: "",
  });
  await suggest();
  expect(get("suggestions-useless").textContent).toBe("2 more: 1 cannot run, 1 passes already");
  await press("suggestions-useless");
  expect(all("suggestion-tried").map((t) => t.textContent)).toContain("not tried: too large");
});
