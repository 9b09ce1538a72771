import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { useApp, useAppState } from "@/store/context";
import { find, flushAll, get, mount, press, write } from "@/testing/mount";
import { Devices } from "./devices";

/** The section, with the settings of the app. */
function Section() {
  const app = useApp();
  const settings = useAppState((s) => s.settings);
  if (!settings) return null;
  return <Devices settings={settings} save={(p) => app.settings.save(p)} saveRow={(p) => app.settings.save(p)} />;
}

async function open(bridge: FakeBridge) {
  const { app } = await mount(<Section />, bridge);
  app.set({ settings: bridge.settings });
  await flushAll();
}

test("devices are let in, logged in with a code, and logged out", async () => {
  const bridge = new FakeBridge();
  await open(bridge);
  expect(find("share-url")).toBeNull();
  expect((get("device-add") as HTMLButtonElement).disabled).toBe(true);
  await press("share");
  expect(bridge.settings.share_address).toBe("0.0.0.0:4444");
  expect(get("share-url").textContent).toContain("https://192.168.1.20:4444/");
  await press("device-add");
  expect(get("device-link").querySelector("svg path")?.getAttribute("d")).toMatch(/^M\d+ 0h1v1h-1z/);
  expect(get("device-link").textContent).toContain("?link=");
  expect(get("devices").textContent).toContain("Safari on iPhone");
  await press("device-revoke");
  expect(get("devices").textContent).not.toContain("Safari on iPhone");
});

test("why no device can log in is shown, and so is why a password is refused", async () => {
  const bridge = new FakeBridge();
  bridge.settings.share_address = "0.0.0.0:80";
  bridge.shareProblem = "listening on 0.0.0.0:80: permission denied";
  bridge.refusals.set("DeviceAPI.SetPassword", {
    code: "refused",
    message: "the password has 5 characters",
    hint: "use 12 to 1024, such as four random words",
    field: "password",
  });
  await open(bridge);
  expect(get("share-problem").textContent).toContain("permission denied");
  await press("device-password");
  write("device-password-password", "short");
  await flushAll();
  await press("device-password-save");
  expect(get("device-password-form").textContent).toContain("the password has 5 characters");
  bridge.refusals.clear();
  write("device-password-password", "four random words");
  await flushAll();
  await press("device-password-save");
  expect(bridge.devicePassword).toBe("four random words");
  await press("device-password-remove");
  expect(bridge.devicePassword).toBe("");
});
