import { expect, test } from "vitest";
import { FakeBridge } from "@/bridge/fake/bridge";
import { rejectedKey } from "@/bridge/fake/fixtures";
import type { ConnectInput } from "@/bridge/types";
import { all, find, get, mount, nth, press, until, write } from "@/testing/mount";
import { ConnectDialog } from "./dialog";

async function open(preset: string, bridge = new FakeBridge()) {
  const { app } = await mount(<ConnectDialog />, bridge, async (a) => {
    await a.providers.load();
    await a.providers.loadOffers();
    a.providers.openConnect({ preset });
  });
  await until(() => get(preset ? "connect-dialog" : "connect-choose"));
  return { app, bridge };
}

const sent = (bridge: FakeBridge, method: string) =>
  bridge.calls.filter((c) => c.method === method).map((c) => c.args[0] as ConnectInput);

test("a tested connection is saved with the chosen model, and the key goes to Go alone", async () => {
  const { app, bridge } = await open("mistral");
  expect(get("connect-save")).toHaveProperty("disabled", true);
  write("connect-key", "sk-0123456789abcdef");
  await press("connect-test");
  await until(() => expect(get("connect-status").dataset.state).toBe("ok"));
  expect(nth(all("connect-model"), 0).dataset.chosen).toBe("true");
  await press(nth(all("connect-model"), 1).querySelector("input") as HTMLElement);
  await press("connect-save");
  await until(() => expect(find("connect-dialog")).toBeNull());
  const [input] = sent(bridge, "ModelAPI.Connect");
  expect(input).toMatchObject({ preset: "mistral", model: "claude-opus-5-5", key: "sk-0123456789abcdef", new: true });
  expect(JSON.stringify(app.state)).not.toContain("sk-0123456789abcdef");
  expect(app.state.providers.find((p) => p.id === "mistral")?.ready).toBe(true);
});

test("a rejected key names what to do, and is saved only without a test", async () => {
  const bridge = new FakeBridge();
  bridge.connectionTest = structuredClone(rejectedKey);
  const { app } = await open("deepseek", bridge);
  write("connect-key", "sk-0123456789abcdef");
  await press("connect-test");
  const status = await until(() => get("connect-status"));
  expect(status.dataset.step).toBe("key");
  expect(status.textContent).toContain("Copy it again");
  expect(get("connect-save")).toHaveProperty("disabled", true);
  await press("connect-untested");
  await until(() => expect(find("connect-dialog")).toBeNull());
  expect(app.state.providers.find((p) => p.id === "deepseek")?.ready).toBe(false);
});

test("another key makes an older test void", async () => {
  await open("groq");
  write("connect-key", "sk-0123456789abcdef");
  await press("connect-test");
  await until(() => get("connect-status"));
  write("connect-key", "sk-another-0123456789");
  expect(find("connect-status")).toBeNull();
  expect(get("connect-save")).toHaveProperty("disabled", true);
});

test("a server on this computer is tested at once; a key in the environment is offered", async () => {
  const { bridge } = await open("ollama");
  await until(() => get("connect-status"));
  expect(sent(bridge, "ModelAPI.Try").map((input) => input.only_list)).toEqual([true, false]);
});

test("the key of the environment is used by its name", async () => {
  const { bridge } = await open("anthropic");
  await press("connect-env");
  await until(() => get("connect-status"));
  expect(sent(bridge, "ModelAPI.Try")[0]).toMatchObject({ key: "", key_env: "ANTHROPIC_API_KEY" });
});

test("what was found on this computer is chosen first", async () => {
  await open("");
  const chosen = all("preset-card").filter((c) => c.getAttribute("aria-pressed") === "true");
  expect(chosen.map((c) => c.dataset.id)).toEqual(["ollama"]);
  await press("connect-continue");
  await until(() => get("connect-dialog"));
});
