import { expect, test, vi } from "vitest";
import type { PaneInfo } from "@/bridge/types";
import type { App } from "@/store/app";
import { shortcutOf } from "./shortcuts";

const key = (code: string, alt = false) => ({
  code,
  key: code,
  ctrlKey: false,
  metaKey: false,
  altKey: alt,
  shiftKey: false,
});

test("Alt+Home leads where the user lives, and to a blank page if they never said where", () => {
  const ask = vi.fn();
  const app = (home_page: string) =>
    ({ ask, store: { getState: () => ({ settings: { home_page } }) } }) as unknown as App;
  const on = { address: vi.fn(), panel: vi.fn(), close: null };
  const press = (home: string, code: string, alt: boolean) =>
    shortcutOf(key(code, alt), app(home), { id: "b1" } as PaneInfo, 100, on)?.();
  press("http://127.0.0.1:3000/", "Home", true);
  press("", "Home", true);
  press("", "Home", false);
  expect(ask.mock.calls).toEqual([
    ["BrowserAPI.Navigate", "b1", "http://127.0.0.1:3000/"],
    ["BrowserAPI.Navigate", "b1", "about:blank"],
  ]);
});
