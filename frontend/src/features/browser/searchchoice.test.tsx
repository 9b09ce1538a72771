import { expect, test } from "vitest";
import { browserPane } from "@/bridge/fake/fixtures";
import { FakeBridge } from "@/bridge/fake/bridge";
import { find, flushAll, get, mount, press, write } from "@/testing/mount";
import { Address } from "./address";
import { createRef } from "react";
import { act } from "@/testing/act";

const noEngine = { code: "refused", message: "no search engine is set", hint: "", field: "search_page" };

test("words lead to the choice of a search engine, and then to the search", async () => {
  const bridge = new FakeBridge();
  bridge.refusals.set("BrowserAPI.Enter", noEngine);
  const field = createRef<HTMLInputElement>();
  await mount(
    <Address pane={browserPane("b1")} field={field} onEntered={() => undefined} onSite={() => undefined} />,
    bridge,
    (app) => app.start(),
  );
  write("browser-address", "two words");
  act(() => void get("browser-address").dispatchEvent(new KeyboardEvent("keydown", { code: "Enter", bubbles: true })));
  await flushAll();
  expect(get("search-save").hasAttribute("disabled")).toBe(true);
  await press("search-engine-duckduckgo");
  await press("search-save");
  expect(find("search-choice")).toBeNull();
  const saved = bridge.calls.filter((c) => c.method === "SettingsAPI.Save").at(-1);
  expect(saved?.args[0]).toMatchObject({ search_page: "https://duckduckgo.com/?q=%s" });
  expect(bridge.calls.filter((c) => c.method === "BrowserAPI.Enter")).toHaveLength(2);
});

test("a refusal for another reason asks for no engine", async () => {
  const bridge = new FakeBridge();
  bridge.refusals.set("BrowserAPI.Enter", { ...noEngine, field: "" });
  const field = createRef<HTMLInputElement>();
  await mount(
    <Address pane={browserPane("b1")} field={field} onEntered={() => undefined} onSite={() => undefined} />,
    bridge,
    (app) => app.start(),
  );
  write("browser-address", "two words");
  act(() => void get("browser-address").dispatchEvent(new KeyboardEvent("keydown", { code: "Enter", bubbles: true })));
  await flushAll();
  expect(find("search-choice")).toBeNull();
});
