// A call that Go refuses, in the real window: its words come through Wails, which
// makes an Error of them, and stand on the screen with the hint.
import assert from "node:assert/strict";
import { test } from "node:test";
import { until, withWindow } from "./window.mjs";

const focused = () => document.activeElement?.getAttribute("data-testid") ?? "";
const typed = () => document.activeElement?.value ?? "";
const textOf = (selector) => document.querySelector(selector)?.textContent ?? "";

/** Waits until an element says something, and gives its words. */
const words = (w, selector) => until(`words in ${selector}`, () => w.page(textOf, selector));

test("refused calls say why on the screen of the real window", { timeout: 600_000 }, () =>
  withWindow(async (w) => {
    const enter = async (id, text) => {
      await w.click(id);
      await until(`the cursor in ${id}`, async () => (await w.page(focused)) === id);
      await w.key("ctrl+a");
      await w.type(text);
      await until(`"${text}" in ${id}`, async () => (await w.page(typed)) === text);
    };

    await w.sees("welcome");
    await w.click("skip-welcome");
    await w.sees("workspace");

    // At the field that Go names, since no model is connected.
    await w.key("ctrl+shift+g");
    await w.sees("new-goal");
    await enter("field-objective", "Make a file");
    await enter("check-command", "test -f never.txt");
    await w.key("ctrl+Return");
    const refusal = await words(w, '[data-testid="error-provider"]');
    assert.match(refusal, /^no model is connected · connect one in the settings/);
    await w.key("Escape");
    await w.misses("new-goal");
    await w.key("Escape");
    await w.misses("dashboard");

    // In a message at the edge, since the address bar shows none.
    await w.click("new-browser");
    await enter("browser-address", "no address at all");
    await w.key("Return");
    assert.match(await words(w, "[data-sonner-toast] [data-title]"), /^"no address at all" is not an address/);
    assert.match(await words(w, "[data-sonner-toast] [data-description]"), /^enter an address such as localhost:8080/);
  }),
);
