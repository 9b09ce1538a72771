// The table of goals with a thousand of them: on the fake bridge of the gallery, in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedChromium } from "./lib/app.mjs";
import { serveGallery, showScene } from "./lib/gallery.mjs";
import { limit } from "./lib/limits.mjs";

test("a thousand goals are sorted and selected in the table", { timeout: limit(180_000) }, async () => {
  const gallery = await serveGallery({});
  const browser = await sharedChromium();
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
  page.setDefaultTimeout(limit(60_000));
  try {
    await showScene(page, gallery.url, "goals");
    await page.evaluate(addGoals);
    await walk(page);
  } finally {
    await page.close();
    gallery.close();
  }
});

/** Adds goals that are done, each dearer than the one before, in the page. */
async function addGoals() {
  const { app, bridge } = window.gallery;
  const [one] = bridge.goals.values();
  for (let n = 1; n <= 1_000; n++) {
    const id = `01m0many${String(n).padStart(18, "0")}`;
    const made = { id, objective: `Paint door ${n}`, usd: 10 + n, status: "completed", exit: "done", asks: 0 };
    bridge.goals.set(id, { ...one, view: { ...one.view, ...made } });
  }
  await app.sync.loadGoals();
}

async function walk(page) {
  const at = (id) => page.getByTestId(id);
  const row = (n) => page.getByRole("row", { name: new RegExp(`Paint door ${n}\\b`) });
  const marked = page.locator('[role="row"][aria-selected="true"]');
  await at("goal-grouping").selectOption("none");

  // Only what is in sight is drawn, and sorting brings the selected goal back into sight.
  const selectedIs = (last) =>
    page.waitForFunction((last) => {
      const n = document.querySelector('[data-testid="goal-card"][aria-current="true"]')?.getAttribute("aria-rowindex");
      return n && Number(n) > 900 === last;
    }, last);
  await at("goal-column-cost").click();
  await selectedIs(true);
  assert.ok((await at("goal-card").count()) < 100, "rows out of sight are drawn");
  await at("goal-column-cost").focus();
  await page.keyboard.press("Enter");
  await page.locator('[aria-sort="ascending"]', { hasText: "Spend" }).waitFor();
  await selectedIs(false);
  await at("goal-order").selectOption("cost");
  await page.locator('[aria-sort="descending"]', { hasText: "Spend" }).waitFor();
  await selectedIs(true);
  await at("goal-list").evaluate((list) => list.scrollTo(0, 0));

  // Ctrl and Shift with a click, and Space, select; a click alone opens.
  await row(999).click({ modifiers: ["Control"] });
  await row(996).click({ modifiers: ["Shift"] });
  await at("selection-bar").getByText("4 selected").waitFor();
  await row(998).getByRole("button").focus();
  await page.keyboard.press("Space");
  await at("selection-bar").getByText("3 selected").waitFor();
  assert.equal(await marked.count(), 3);
  await at("selection-delete").click();
  await at("question").getByText("Delete 3 goals?").waitFor();
  await at("question-yes").click();
  await row(999).waitFor({ state: "detached" });
  await row(997).waitFor({ state: "detached" });
  await row(998).waitFor();

  // Ctrl+A means all that the search finds, and Escape none.
  await at("goal-search").fill("door 99");
  await row(1000).waitFor({ state: "detached" });
  await at("goal-search").blur();
  await page.keyboard.press("Control+KeyA");
  await at("selection-bar").getByText("8 selected").waitFor(); // 99, and seven of 990 to 999
  await page.keyboard.press("Escape");
  await at("selection-bar").waitFor({ state: "detached" });
  await row(998).click();
  await at("goal-header").getByText("Paint door 998").waitFor();
  await page.keyboard.press("Escape");
  await at("goal-column-cost").waitFor();
}
