import { act } from "@/testing/act";
import { beforeEach, expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalRequest, TryInput } from "@/bridge/types";
import { find, get, mount, press, until, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

let bridge: FakeBridge;

beforeEach(async () => {
  localStorage.clear();
  ({ bridge } = await mount(<NewGoalDialog />, new FakeBridge({ empty: true }), (a) => a.toggleGoals()));
});

const all = (testid: string) => [...document.querySelectorAll<HTMLElement>(`[data-testid="${testid}"]`)];
const outcomes = () => all("suggestion").map((s) => s.dataset.outcome);
const started = () => bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as GoalRequest | undefined;

async function suggest() {
  write("field-objective", "Make coupon codes work");
  write("field-dir", "/home/ada/shop");
  await press("suggest-checks");
  await until(
    () =>
      outcomes().length === 3 &&
      outcomes()
        .slice(0, 2)
        .every((o) => o !== "" && o !== "running"),
  );
}

test("proposals are tried at once, and none is part of the goal until it is added", async () => {
  expect((get("suggest-checks") as HTMLButtonElement).disabled).toBe(true);
  await suggest();
  expect(outcomes()).toEqual(["fails_now", "passes_already", ""]);
  expect(all("suggestion-tried")[1]?.textContent).toBe("Passes already: it would not show that the goal is reached");
  const tries = bridge.calls.filter((c) => c.method === "GoalAPI.TrySuggested").map((c) => c.args[0] as TryInput);
  expect(tries.map((t) => [t.unconfined, t.allow_local])).toEqual([
    [false, []],
    [false, [8080]],
  ]);
  expect(all("suggestion")[2]?.textContent).toContain("Not tried: a model decides it");
  expect(get("suggestions-left").textContent).toBe("3 suggestions not added");
  await press("start-goal");
  expect(get("error-criterion").textContent).toContain("Add a check");
  expect(started()).toBeUndefined();
});

test("adding takes the place of the empty check, with its result and the ports that it needs", async () => {
  await suggest();
  await press("suggestion-add");
  expect((get("check-command") as HTMLInputElement).value).toBe("go test ./cart/...");
  expect(get("try-result").dataset.outcome).toBe("fails_now");
  await press("suggestion-add");
  expect(all("check-row").map((r) => r.dataset.type)).toEqual(["shell", "http"]);
  expect(get("suggestions-left").textContent).toBe("1 suggestion not added");
  await press("allow-passing");
  await press("start-goal");
  expect(started()).toMatchObject({
    checks: [
      { type: "shell", command: "go test ./cart/..." },
      { type: "http", url: "http://127.0.0.1:8080/" },
    ],
    allow_local: [8080],
  });
});

test("what was accepted is not proposed again, and a dismissed one goes", async () => {
  await suggest();
  await press("suggestion-add");
  await press("suggest-checks");
  await until(() => all("suggestion").length === 2);
  act(() => all("suggestion")[0]?.querySelector<HTMLElement>('[aria-label^="Dismiss"]')?.click());
  await until(() => all("suggestion").length === 1);
});

test("where nothing is found it says what to write", async () => {
  write("field-objective", "Something new");
  await press("suggest-checks");
  await until(() => find("suggest-empty") !== null);
  expect(get("suggest-empty").textContent).toContain("Write a check that fails now");
  expect(get("suggest-note").textContent).toBe("No model was asked, because none is connected.");
});

test("a refusal is shown, and a try that is refused says why", async () => {
  bridge.refusals.set("GoalAPI.Suggest", { code: "refused", message: "no such folder", hint: "make it", field: "dir" });
  write("field-objective", "x");
  await press("suggest-checks");
  await until(() => find("suggest-problem") !== null);
  expect(get("suggest-problem").textContent).toBe("no such folder · make it");
  bridge.refusals.set("GoalAPI.TrySuggested", {
    code: "refused",
    message: "not tried: too large",
    hint: "",
    field: "",
  });
  await suggest();
  expect(all("suggestion-tried")[0]?.textContent).toBe("not tried: too large");
});
