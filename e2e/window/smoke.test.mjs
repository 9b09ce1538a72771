// One walk through the real window with real keys: a terminal, Ctrl+Shift+G from
// inside of it, the dialog, and back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limit } from "../lib/limits.mjs";
import { until, withWindow } from "./window.mjs";

const focused = () => document.activeElement?.getAttribute("data-testid") ?? document.activeElement?.className ?? "";
const screenText = () => document.querySelector('[data-testid="terminal"] .xterm-rows')?.textContent ?? "";

/** Returns the place of a row that contains only the text, a little inside its first letter. */
function placeOf(text) {
  const row = [...document.querySelectorAll(".xterm-rows > div")].find((r) => r.textContent.trim() === text);
  const { x, y, height } = row.getBoundingClientRect();
  return [Math.round(x + 12), Math.round(y + height / 2)];
}

test("a terminal of the real window, and Ctrl+Shift+G inside of it", { timeout: limit(600_000) }, () =>
  withWindow(async (w) => {
    await w.sees("welcome");
    await w.click("skip-welcome");
    await w.sees("workspace");

    await w.click("new-terminal");
    await w.sees("terminal");
    await until("a prompt", async () => /[#$%>]/.test(await w.page(screenText)));
    await w.click("terminal");
    await until("the focus in the terminal", async () => (await w.page(focused)).includes("xterm-helper-textarea"));
    await w.type("echo six times seven is $((6*7))");
    await w.key("Return");
    await until("the program's answer", async () => (await w.page(screenText)).includes("seven is 42"));

    // The middle button pastes the selection, as in every terminal of X.
    await w.type("echo primary$((1+1))");
    await w.key("Return");
    await until("a word to select", async () => (await w.page(screenText)).includes("primary2"));
    await w.clickAt(...(await w.page(placeOf, "primary2")), 2);
    await until("the selection", () => w.page(() => document.querySelector(".xterm-selection").childElementCount > 0));
    await w.clickAt(...(await w.page(placeOf, "primary2")), 1, 2);
    await until("the pasted word", async () => (await w.page(screenText)).split("primary2").length === 3);
    await w.key("ctrl+c");

    await w.key("ctrl+shift+g");
    await w.sees("dashboard");
    await w.sees("new-goal");
    await until("the cursor in the objective", async () => (await w.page(focused)) === "field-objective");
    await w.type("Typed with real keys");
    await until(
      "the objective",
      async () => (await w.page(() => document.activeElement.value)) === "Typed with real keys",
    );
    const colours = await w.picture("new-goal");
    assert.ok(colours > 50, `the window shows ${colours} colours`);

    await w.key("Escape");
    await w.misses("new-goal");
    await w.sees("dashboard");
    await w.key("Escape");
    await w.misses("dashboard");
    await w.sees("terminal");
    assert.ok((await w.page(screenText)).includes("seven is 42"), "the terminal kept what it showed");
    assert.ok((await w.picture("workspace")) > 50);
  }),
);
