// A goal without a mouse, from the New goal dialog to the user's answer at its end. Tab reaches every control, and
// each shows that it has the focus. Arrows move inside lists. Dialogs hold the focus, and restore it when they close.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

test("a goal from the dialog to its acceptance by the keyboard alone", { timeout: limit(300_000) }, async (t) => {
  const write = { tool: "write_file", args: { path: "logo.txt", content: "a logo\n" } };
  const model = await startModel([
    write,
    { tool: "read_file", args: { path: "logo.txt" } },
    { tool: "claim_complete", args: { rationale: "the logo is there" } },
  ]);
  try {
    await withApp(t, ({ page, home, said }) => walk(page, home, model, said));
  } finally {
    model.close();
  }
});

async function walk(page, home, model, said) {
  const at = (id) => page.getByTestId(id);
  const press = (keys) => page.keyboard.press(keys);
  const type = (text) => page.keyboard.type(text);
  const dir = join(home, "logo");
  mkdirSync(dir);

  await at("welcome").waitFor();
  await tabTo(page, "skip-welcome");
  await press("Enter");
  await at("workspace-empty").waitFor();

  // A model, in the settings.
  await press("Control+Shift+Space");
  await press("s");
  await at("settings").waitFor();
  // The search, by its key; the page of its best hit has the focus.
  await press("/");
  await focused(page, '[data-testid="settings-search"]');
  await type("providers");
  await press("Enter");
  await tabTo(page, "provider-add");
  await press("Enter");
  await at("connect-choose").waitFor();
  await tabTo(page, "preset-custom");
  await press("Enter");
  await focused(page, '[data-testid="connect-address"]');
  await type(model.url);
  await press("Enter"); // tests
  await at("connect-status").and(page.locator('[data-state="ok"]')).waitFor();
  await tabTo(page, "connect-name");
  await press("Control+KeyA");
  await type("played");
  await press("Control+Enter");
  await at("connect-dialog").waitFor({ state: "detached" });
  await at("providers").locator('[data-id="played"][data-active="true"][data-ready="true"]').waitFor();

  // The dialog: a check that a user decides, and a goal that must ask before it writes.
  await press("Control+Shift+KeyG");
  await focused(page, '[data-testid="field-objective"]');
  await type("draw a logo");
  await tabTo(page, "check-type-shell");
  for (let i = 0; i < 6; i++) await press("ArrowRight");
  await at("check-type-manual").and(page.locator('[aria-checked="true"]:focus')).waitFor();
  await tabTo(page, "check-note");
  await type("it looks fine");
  await tabTo(page, "check-wait");
  if (!(await at("check-wait").isChecked())) await press("Space");
  await tabTo(page, "field-dir");
  await press("Control+KeyA");
  await type(dir);
  await tabTo(page, "say-risk");
  await press("Enter");
  await tabTo(page, "risk-write_local");
  await press("ArrowLeft");
  await at("risk-read_only").locator("input:checked").waitFor({ state: "attached" });
  await staysInside(page, "new-goal");
  await press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });
  await at("dashboard").waitFor();

  // The goal asks. The answer is given in the dialog that shows the whole request.
  await at("asks-open").waitFor();
  await tabTo(page, "asks-open");
  await press("Enter");
  await at("approvals").waitFor();
  await staysInside(page, "approvals");
  await tabTo(page, "approval-allow");
  await press("Enter");
  await at("approval").waitFor({ state: "detached" }); // the goal itself may wait there by now
  await press("Escape");
  await at("approvals").waitFor({ state: "detached" });

  // The steps: one stop for Tab, arrows inside, Enter opens.
  await at("answer-accept").waitFor();
  assert.ok(existsSync(join(dir, "logo.txt")));
  await tabTo(page, "step");
  await press("Home");
  await focused(page, '[data-testid="step"][data-n="1"]');
  await press("ArrowDown");
  await focused(page, '[data-testid="step"][data-n="2"]');
  await press("ArrowUp");
  await press("Enter");
  await at("step-more").waitFor();
  await press("Enter");
  await at("step-more").waitFor({ state: "detached" });

  // A menu, and the focus afterwards.
  await tabTo(page, "goal-more");
  await press("Enter");
  await focused(page, '[role="menuitem"]');
  await press("Escape");
  await at("menu-duplicate").waitFor({ state: "detached" });
  await focused(page, '[data-testid="goal-more"]');

  // A dialog that a menu opens gives the focus back to the menu's button.
  await press("Enter");
  await at("menu-duplicate").waitFor();
  await focused(page, '[role="menuitem"]');
  await press("End");
  await focused(page, '[data-testid="menu-delete"]');
  await press("Enter");
  await at("question").waitFor();
  await press("Escape");
  await at("question").waitFor({ state: "detached" });
  await focused(page, '[data-testid="goal-more"]');
  await press("Control+Shift+KeyP");
  await at("palette-input").waitFor();
  await press("Escape");
  await at("palette").waitFor({ state: "detached" });
  await focused(page, '[data-testid="goal-more"]');

  await tabTo(page, "answer-accept");
  await press("Enter");
  await page.locator('[data-testid="goal-header"][data-status="completed"]').waitFor();

  // The receipt, and back to where it was opened.
  await tabTo(page, "receipt-open");
  await press("Enter");
  await at("receipt-dialog").waitFor();
  await staysInside(page, "receipt-dialog");
  await press("Escape");
  await at("receipt-dialog").waitFor({ state: "detached" });
  await focused(page, '[data-testid="receipt-open"]');

  // Back to the table of all goals, which a header sorts, and to the workspace.
  await press("Escape");
  await at("goal-header").waitFor({ state: "detached" });
  await tabTo(page, "goal-column-cost");
  await press("Enter");
  await page.locator('[role="columnheader"][aria-sort="descending"]', { hasText: "Spend" }).waitFor();
  await page
    .getByRole("row", { name: /draw a logo/ })
    .getByRole("button")
    .focus();
  await press("Enter");
  await at("goal-header").waitFor();
  await press("Escape");
  await at("goal-header").waitFor({ state: "detached" });
  await press("Escape");
  await at("dashboard").waitFor({ state: "detached" });
  assert.deepEqual(complaints(said), []);
}

/** Waits until the focus is on an element that a selector matches, or inside of it. */
function focused(page, selector) {
  return page.waitForFunction((s) => document.activeElement?.closest(s) !== null, selector);
}

const most = 120;

/**
 * Presses Tab until the focus is on something of that name. On the way, every element that gets the focus must show
 * it.
 */
async function tabTo(page, testid, within = "") {
  const selector = `${within} [data-testid="${testid}"]`;
  await page.locator(selector).first().waitFor({ state: "attached" });
  for (let i = 0; i < most; i++) {
    await page.keyboard.press("Tab");
    const { there, shown, what } = await page.evaluate(seen, selector);
    assert.ok(shown, `${what} has the focus and does not show it`);
    if (there) return;
  }
  assert.fail(`${most} times Tab do not lead to ${testid}`);
}

/** Runs in the page: reports whether the focus is where it should be, and whether a user sees it. */
function seen(selector) {
  const e = document.activeElement;
  if (!e || e === document.body) return { there: false, shown: true, what: "the window" };
  const candidates = [e, e.closest("label"), e.parentElement].filter(Boolean).map((x) => getComputedStyle(x));
  const shown = candidates.some(
    (css) => (css.outlineStyle !== "none" && css.outlineWidth !== "0px") || css.boxShadow !== "none",
  );
  // Terminals and pages draw their own focus; the search field changes the colour of its border.
  const own = e.matches(".xterm-helper-textarea, [data-testid=browser-keys], [data-testid=goal-search]");
  const name = e.closest("[data-testid]")?.getAttribute("data-testid") ?? "";
  return { there: e.closest(selector) !== null, shown: shown || own, what: `${e.tagName} ${name}` };
}

/** Presses Tab until the focus is back at its start, and fails if it ever leaves the dialog. */
async function staysInside(page, testid) {
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    const inside = await page.evaluate((s) => document.activeElement?.closest(s) !== null, `[data-testid="${testid}"]`);
    assert.ok(inside, `Tab leads out of ${testid}`);
  }
}
