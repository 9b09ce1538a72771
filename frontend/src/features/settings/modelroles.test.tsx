import { act } from "@/testing/act";
import { expect, test } from "vitest";
import type { App } from "@/store/app";
import { flushAll, get, mount } from "@/testing/mount";
import { SettingsPage } from "./page";

async function start(app: App) {
  await app.start();
  app.openSettings("Models");
}

test("a role is given a model of a connected provider, and back to nobody in particular", async () => {
  const { app } = await mount(<SettingsPage />, undefined, start);
  await flushAll();
  const select = get("role-critic_model") as HTMLSelectElement;
  const models = [...select.options].map((o) => o.value);
  expect(select.value).toBe("");
  expect(select.options[0]?.text).toBe("Same as the goal");
  const own = app.state.providers.find((p) => p.active);
  const name = `${own?.id}/${own?.model}`;
  expect(models).toContain(name);
  const choose = async (value: string) => {
    act(() => {
      select.value = value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await flushAll();
  };
  await choose(name);
  expect(app.state.settings?.critic_model).toBe(name);
  await choose("");
  expect(app.state.settings?.critic_model).toBe("");
});

test("a model that no provider lists any more is still shown", async () => {
  const { app } = await mount(<SettingsPage />, undefined, start);
  await act(async () => void (await app.settings.save({ fallback_model: "ollama/gone" })));
  await flushAll();
  expect((get("role-fallback_model") as HTMLSelectElement).value).toBe("ollama/gone");
});
