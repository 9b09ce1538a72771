import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { find, get, mount, press } from "@/testing/mount";
import { Engines } from "./engines";

const row = (id: string) => document.querySelector(`[data-testid="engine"][data-id="${id}"]`);

test("an agent is tested and made the default; what is missing says how to install it", async () => {
  const bridge = new FakeBridge();
  const agent = bridge.engines[1];
  if (!agent) throw new Error("no agent");
  bridge.engines = [...bridge.engines, { ...agent, id: "other", name: "Other", path: "", version: "", tested: false }];
  await mount(<Engines />, bridge);
  expect(row("model")?.textContent).toContain("default");
  expect(row("opencode")?.textContent).toContain("tested version");
  expect(row("opencode")?.textContent).toContain("sign-in of its own");
  expect(row("other")?.textContent).toContain("not installed");
  expect(get("engine-install").textContent).toContain("npm install -g");
  expect(document.querySelectorAll('[data-testid="engine-test"]')).toHaveLength(1);
  await press("engine-test");
  expect(get("engine-result").dataset.ok).toBe("true");
  await press("engine-use");
  expect(bridge.calls.find((c) => c.method === "EngineAPI.Use")?.args).toEqual(["opencode"]);
  expect(row("opencode")?.textContent).toContain("default");
});

test("a failed stage and a refusal are shown with their reasons", async () => {
  const bridge = new FakeBridge();
  await mount(<Engines />, bridge);
  bridge.refusals.set("EngineAPI.Test", { code: "refused", message: "no model", hint: "connect one", field: "" });
  await press("engine-test");
  expect(get("engine-refused").textContent).toBe("no model connect one");
  expect(find("engine-result")).toBeNull();
});
