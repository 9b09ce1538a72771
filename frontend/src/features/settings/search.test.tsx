import { act } from "@/testing/act";
import { expect, test } from "vitest";
import { all, find, flushAll, get, mount, nth, press, write } from "@/testing/mount";
import { SettingsPage } from "./page";
import { searchedSettings, searchSettings } from "./places";

async function open() {
  const { app } = await mount(<SettingsPage />, undefined, (a) => a.start());
  act(() => app.openSettings("Appearance"));
  await flushAll();
  return app;
}

const heading = () => document.querySelector("h1")?.textContent;
const titles = (query: string) => searchSettings(searchedSettings([]), query).map((p) => p.title);

test("the search finds titles first, then synonyms and texts of all pages, and needs every word", () => {
  expect(titles("font")).toEqual(["Terminal font size", "Terminal font"]);
  expect(titles("dark")).toEqual(["Theme"]);
  expect(titles("minutes goal")).toContain("Approval timeout");
  expect(titles("theme nowhere")).toEqual([]);
  expect(titles("keyring")[0]).toBe("Secrets and logins");
});

test("hits mark what was typed; one opens its page at its row", async () => {
  await open();
  write("settings-search", "scroll");
  await flushAll();
  const hit = nth(all("settings-hit"), 0);
  expect([...hit.querySelectorAll("mark")].map((m) => m.textContent)).toContain("Scroll");
  await press(hit);
  expect(heading()).toBe("Terminal");
  expect(document.activeElement).toBe(get("scrollback"));
  expect(document.querySelector("[data-marked]")?.textContent).toContain("Scrollback");
  write("settings-search", "no such thing");
  await flushAll();
  expect(all("settings-hit")).toEqual([]);
  expect(get("settings-found").textContent).toContain("No setting has these words");
});

const key = (target: Element, code: string, name = code) =>
  act(
    () => void target.dispatchEvent(new KeyboardEvent("keydown", { code, key: name, bubbles: true, cancelable: true })),
  );

test("the keyboard alone: / searches, arrows walk, Enter opens the best hit, Esc clears and then closes", async () => {
  const app = await open();
  key(document.body, "Slash", "/");
  const field = get("settings-search");
  expect(document.activeElement).toBe(field);
  write("settings-search", "daily");
  await flushAll();
  key(field, "ArrowDown");
  expect(document.activeElement).toBe(nth(all("settings-hit"), 0));
  key(nth(all("settings-hit"), 0), "ArrowUp");
  expect(document.activeElement).toBe(field);
  key(field, "Enter");
  await flushAll();
  expect(heading()).toBe("Spending");
  key(get("daily-limit"), "Escape");
  expect(app.state.route, "Esc in a field belongs to it").toBe("settings");
  act(() => get("settings-content").focus());
  key(document.body, "Escape");
  expect(find("settings-hit")).toBeNull();
  expect(app.state.route).toBe("settings");
  key(document.body, "Escape");
  expect(app.state.route).toBe("workspace");
});
