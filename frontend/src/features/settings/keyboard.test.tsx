import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { all, flushAll, get, mount, press, write } from "@/testing/mount";
import { SettingsPage } from "./page";

const rows = () => all("fixed-key-row").map((r) => r.textContent.replace("cannot be changed", ""));

test("the keys of a goal's tabs are listed, and found by words and by key", async () => {
  const { app } = await mount(<SettingsPage />, undefined, (a) => a.start());
  act(() => app.openSettings("Keyboard"));
  await flushAll();
  expect(rows()).toHaveLength(6);
  write("key-filter", "goals plots");
  expect(rows()).toEqual(["Goals: show the tab Plots6"]);
  write("key-filter", "");
  const find = async (code: string) => {
    await press("find-by-key");
    act(() => {
      get("find-by-key").dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true, cancelable: true }));
    });
  };
  await find("Digit2");
  expect(rows()).toEqual(["Goals: show the tab Changes2"]);
  await press("find-by-key");
  await find("Digit9");
  expect(rows()).toEqual([]);
  expect(get("keys-none").textContent).toBe("9 does nothing in Goalpost.");
});
