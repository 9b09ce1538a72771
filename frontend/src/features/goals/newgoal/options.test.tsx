import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { all, mount, press, until } from "@/testing/mount";
import { NewGoalDialog } from "./dialog";

test("one can wait for goals that may still end well, and a model's own key is no secret of a goal", async () => {
  localStorage.clear();
  const bridge = new FakeBridge();
  bridge.secrets.push({ name: "provider-openai", place: "keyring", hosts: [], added: "" });
  const { app } = await mount(<NewGoalDialog />, bridge, async (a) => {
    a.sync.start();
    await a.providers.load();
  });
  act(() => {
    app.set({ providers: app.state.providers.map((p) => ({ ...p, api_key_secret: `provider-${p.id}` })) });
    app.newGoal();
  });
  await press("more");
  const waits = await until(() => {
    const found = all("after-goal").map((box) => box.closest("label")?.textContent ?? "");
    expect(found.length).toBeGreaterThan(3);
    return found;
  });
  expect(waits[0]).toMatch(/ · Running$/);
  expect(waits.join()).not.toMatch(/ · (Done|Error|Aborted|Gave up|Limit reached)/);
  expect(app.state.providers.map((p) => p.id)).toContain("openai");
  expect(all("use-secret").map((box) => box.dataset.id)).toEqual(["npm-token"]);
});
