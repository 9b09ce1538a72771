import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { GoalRequest } from "@/bridge/types";
import { all, find, flushAll, get, mount, press, until, write } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

const value = () => (get("field-dir") as HTMLInputElement).value;

async function open(recent: string[], prepare: (bridge: FakeBridge) => void = () => undefined) {
  localStorage.clear();
  const bridge = new FakeBridge({ empty: true });
  bridge.recentFolders = recent;
  prepare(bridge);
  await mount(<NewGoalDialog />, bridge, (a) => a.toggleGoals());
  return bridge;
}

async function key(code: string) {
  act(
    () => void get("field-dir").dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true })),
  );
  await flushAll();
}

test("the last folder is filled in, and the others are one click away", async () => {
  await open(["/home/ada/shop", "/home/ada/infra"]);
  await until(() => expect(value()).toBe("/home/ada/shop"));
  expect(get("new-goal").textContent).toContain("last used");
  expect(all("recent-dir").map((b) => b.textContent)).toEqual(["~/infra"]);
  await press("recent-dir");
  expect(value()).toBe("/home/ada/infra");
  expect(get("new-goal").textContent).not.toContain("last used");
});

test("a folder is completed with the keyboard, and a missing one is created", async () => {
  const bridge = await open([]);
  act(() => get("field-dir").focus());
  write("field-dir", "~/sh");
  await until(() => expect(all("folder-choice").map((c) => c.textContent)).toEqual(["~/shop", "~/shop/api"]));
  await key("ArrowDown");
  await key("ArrowDown");
  await key("Enter");
  expect(value()).toBe("/home/ada/shop/api");
  expect(find("folder-choice")).toBeNull();

  write("field-dir", "~/gone");
  await press(await until(() => get("create-dir")));
  expect(value()).toBe("/home/ada/gone");
  write("field-objective", "fill it");
  write("check-command", "make");
  await press("start-goal");
  const started = bridge.calls.find((c) => c.method === "GoalAPI.Start")?.args[0] as GoalRequest | undefined;
  expect(started?.dir).toBe("/home/ada/gone");
});

test("Tab keeps a folder that was typed faster than its completion came", async () => {
  await open([]);
  act(() => get("field-dir").focus());
  write("field-dir", "~/sh");
  await until(() => expect(all("folder-choice")).toHaveLength(2));
  write("field-dir", "~/shipping");
  await key("Tab"); // what is shown completes "~/sh"
  expect(value()).toBe("~/shipping");
  await key("Tab");
  expect(value()).toBe("~/shipping");
});
