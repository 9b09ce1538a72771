import { expect, test, vi } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import type { Method } from "@/bridge/methods";
import { wails } from "@/bridge/wails";
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

test("closing the window asks once, and from then on everything keeps running", async () => {
  const on = new Map<string, (...data: unknown[]) => void>();
  const answers: unknown[] = [];
  wails().runtime = {
    EventsOn: (name, handle) => on.set(name, handle),
    EventsEmit: (name, ...data) => name === "close-answer" && answers.push(...data),
  };
  const bridge = new FakeBridge();
  const app = new App(bridge, { problem: () => undefined, done: () => undefined });
  await app.start();
  const close = () => on.get("close-window")?.(1, 2, 0);
  close();
  expect(app.state.question?.text).toMatch(/^1 goal, 2 terminals can keep running/);
  app.state.question?.cancel?.();
  await app.state.question?.other?.run();
  await app.state.question?.run();
  expect(answers).toEqual(["cancel", "stop", "keep"]);
  expect(bridge.settings.keep_running).toBe(true);
  app.set({ question: null });
  close();
  expect(app.state.question).toBeNull();
  expect(answers).toEqual(["cancel", "stop", "keep", "keep"]);
  app.sync.stop();
  delete wails().runtime;
});

test("what another window or program saves is shown, and what is being saved here stays", async () => {
  const { app, bridge, held } = slow("SettingsAPI.Get");
  app.set({ settings: bridge.settings });
  bridge.settings = { ...bridge.settings, scrollback: 500 };
  const read = app.settings.reload();
  await until(() => expect(held).toHaveLength(1));
  const saved = app.settings.save({ theme: "light" });
  held[0]?.();
  await Promise.all([read, saved]);
  expect(app.state.settings).toMatchObject({ theme: "light", scrollback: 500 });
  expect(bridge.settings).toMatchObject({ theme: "light", scrollback: 500 });
});
