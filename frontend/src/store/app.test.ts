import { expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { Method } from "@/bridge/methods";
import { until } from "@/testing/mount";
import { App } from "./app";

/** An App on a bridge whose answers to one method arrive when the test releases them, in any order. */
function slow(method: Method) {
  const bridge = new FakeBridge();
  const real = bridge.call;
  const held: (() => void)[] = [];
  vi.spyOn(bridge, "call").mockImplementation(async (asked, ...args) => {
    const answer = await real(asked, ...(args as never));
    if (asked === method) await new Promise<void>((go) => held.push(go));
    return answer;
  });
  return { bridge, held, app: new App(bridge, { problem: () => undefined, done: () => undefined }) };
}

test("settings are saved one after the other, so that the last is the last", async () => {
  const { app, bridge, held } = slow("SettingsAPI.Save");
  app.set({ settings: bridge.settings });
  const both = Promise.all([app.settings.save({ theme: "dark" }), app.settings.save({ theme: "light" })]);
  await until(() => expect(held).toHaveLength(1));
  expect([bridge.settings.theme, app.state.settings?.theme]).toEqual(["dark", "light"]);
  held[0]?.();
  await until(() => expect(held).toHaveLength(2));
  held[1]?.();
  await both;
  expect([bridge.settings.theme, app.state.settings?.theme]).toEqual(["light", "light"]);
});

test("a setting that is refused is taken back alone, and does not go with the next one", async () => {
  const { app, bridge, held } = slow("SettingsAPI.Save");
  app.set({ settings: bridge.settings });
  const refusal = { code: "invalid", message: "/no is not there", hint: "", field: "toolchains" };
  bridge.refusals.set("SettingsAPI.Save", refusal);
  const refused = app.settings.save({ toolchains: "/no" });
  const kept = app.settings.save({ theme: "dark" });
  expect(await refused).toEqual(refusal);
  expect(app.state.settings).toMatchObject({ toolchains: "", theme: "dark" });
  await until(() => expect(held).toHaveLength(1));
  held[0]?.();
  expect(await kept).toBeNull();
  expect(bridge.settings).toMatchObject({ toolchains: "", theme: "dark" });
  expect(app.state.settings).toEqual(bridge.settings);
});

test("of two answers the one that was asked for last counts, however late the other comes", async () => {
  const { app, bridge, held } = slow("SettingsAPI.Doctor");
  const first = app.settings.loadFindings();
  await until(() => expect(held).toHaveLength(1));
  bridge.findings = [];
  const second = app.settings.loadFindings();
  await until(() => expect(held).toHaveLength(2));
  held[1]?.();
  await second;
  held[0]?.();
  await first;
  expect(app.state.findings).toEqual([]);
});
