import { act } from "@/testing/act";
import { expect, test, vi } from "vitest";
import { find, get, mount, flushAll, write } from "@/testing/mount";
import { SettingsPage } from "./page";

const line = () => get("toolchains") as HTMLInputElement;

async function enter(text: string, code = "Enter") {
  write("toolchains", text);
  act(() => void line().dispatchEvent(new KeyboardEvent("keydown", { code, bubbles: true })));
  await flushAll();
}

async function refused() {
  const all = await mount(<SettingsPage />, undefined, async (app) => {
    await app.start();
    app.openSettings("Goals");
  });
  const problem = {
    code: "invalid",
    message: "/home/ada/.zig is not there",
    hint: "install it first",
    field: "toolchains",
  };
  all.bridge.refusals.set("SettingsAPI.Save", problem);
  const toasts = vi.spyOn(all.app.notices, "problem");
  await enter("/home/ada/.zig");
  expect(toasts, "the row says it; a message would cover it").not.toHaveBeenCalled();
  return all;
}

test("a line that is refused stays in its field, marked with what is wrong, until it is mended", async () => {
  const { app, bridge } = await refused();
  expect(line().value).toBe("/home/ada/.zig");
  expect(line().getAttribute("aria-invalid")).toBe("true");
  expect(get("error-toolchains").textContent).toBe("/home/ada/.zig is not there · install it first");
  expect(line().getAttribute("aria-describedby")).toBe(get("error-toolchains").id);
  expect(app.state.settings?.toolchains).toBe("");

  await enter("/home/ada/zig");
  expect(line().value).toBe("/home/ada/zig");
  expect(line().getAttribute("aria-invalid")).toBe("false");
  expect(find("error-toolchains")).toBeNull();
  expect(bridge.settings.toolchains).toBe("/home/ada/zig");
});

test("Escape gives up a line that was refused", async () => {
  await refused();
  await enter("/home/ada/.zi", "Escape");
  expect(line().value).toBe("");
  expect(find("error-toolchains")).toBeNull();
});
