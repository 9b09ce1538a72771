// The table of goals, with nine and with a thousand of them: on the fake bridge of the gallery, in Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sharedChromium } from "./lib/app.mjs";
import { serveGallery, showScene } from "./lib/gallery.mjs";
import { limit } from "./lib/limits.mjs";

test(
  "goals are counted, filtered, grouped, sorted and selected in the table",
  { timeout: limit(240_000) },
  async () => {
    const gallery = await serveGallery({});
    const browser = await sharedChromium();
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    page.setDefaultTimeout(limit(60_000));
    try {
      await showScene(page, gallery.url, "goals-strip");
      await checkStrip(page);
      await checkFilters(page);
      await checkSavedFilters(page);
      await showScene(page, gallery.url, "goals-grouped");
      await checkGroups(page);
      await checkLimits(page);
      await showScene(page, gallery.url, "goals");
      await page.evaluate(addGoals);
      await walk(page);
      await showScene(page, gallery.url, "goals-search");
      await findInside(page);
    } finally {
      await page.close();
      gallery.close();
    }
  },
);

const limited = "01m0limit000000000000000f6";

/** Waits until the table has exactly these goals, by a part of their objectives. */
async function shows(page, objectives) {
  const rows = page.getByTestId("goal-card");
  for (const words of objectives) await rows.filter({ hasText: words }).waitFor();
  await page.waitForFunction(
    (n) => document.querySelectorAll('[data-testid="goal-card"]').length === n,
    objectives.length,
  );
}

/** The tiles say what runs, costs, ended and waits, and each shows its goals. */
async function checkStrip(page) {
  const tile = (id) => page.locator(`[data-testid="fleet-tile"][data-tile="${id}"]`);
  const bar = page.getByTestId("fleet-bar");
  const words = async (id) => (await tile(id).innerText()).replace(/\s+/g, " ").toLowerCase();
  await shows(page, ["flaky cart suite", "Draw a logo", "last month's invoices"]); // the scene pressed the first tile
  assert.equal(
    await words("needs_you"),
    "needs you 3 goals wait for you bring the flaky cart suite to green, ten runs in a row",
  );
  assert.equal(await words("running"), "running 2 of 3 at once 1 of them needs you, 1 queued");
  assert.equal(await words("spent"), "spend today $17.20 of $20.00 daily limit 86%");
  assert.equal(await bar.getAttribute("data-state"), "near");
  assert.equal(await words("finished"), "finished today 1 done 1 failed median 20 m, $0.44");
  await tile("finished").focus();
  await page.keyboard.press("Enter");
  await shows(page, ["Release notes for 2.3", "Move CI cache"]);
  await tile("running").click();
  await shows(page, ["Publish the page"]);
  await tile("spent").click(); // two goals of the report of spending are in the list
  await shows(page, ["flaky cart suite", "Move CI cache"]);
  await tile("spent").click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="goal-card"]').length === 9);

  await page.evaluate(() => window.gallery.app.settings.save({ goals_at_once: 8, daily_limit_usd: 10 }));
  await page.locator('[data-testid="fleet-bar"][data-state="reached"]').waitFor();
  assert.match(await words("running"), /2 of 8 at once/);
  await page.evaluate(() => window.gallery.app.settings.save({ daily_limit_usd: 0 }));
  await bar.waitFor({ state: "detached" });
  assert.equal(await words("spent"), "spend today $17.20");
  await page.locator("body").press("f");
  await page.getByTestId("fleet-strip").waitFor({ state: "detached" });
  await page.locator("body").press("f");
  await page.getByTestId("fleet-strip").waitFor();
}

/** Folder, model, status and search combine; each menu counts with the others, and the empty list names them all. */
async function checkFilters(page) {
  const at = (id) => page.getByTestId(id);
  await page.evaluate((id) => {
    const { app, bridge } = window.gallery;
    Object.assign(bridge.goals.get(id).view, { model: "gpt-5", engine: "codex" });
    return app.sync.loadGoals();
  }, limited);
  await at("filter-model").focus();
  await page.keyboard.press("Enter");
  await at("menu-filter-model-codex · gpt-5").getByText("1", { exact: true }).waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Space");
  await at("menu-filter-model-codex · gpt-5").and(page.locator('[aria-checked="true"]')).waitFor();
  await page.keyboard.press("Escape");
  await shows(page, ["Move CI cache"]);
  await at("filter-folder").click();
  const folder = (name) => at(`menu-filter-folder-/home/ada/${name}`);
  await folder("shop").getByText("1", { exact: true }).waitFor();
  assert.equal(await folder("infra").count(), 0, "a folder without such a goal is offered");
  await folder("shop").click();
  await page.keyboard.press("Escape");
  const status = (id) => page.locator(`[data-testid="goal-status"][data-status="${id}"]`);
  assert.deepEqual(await at("goal-status").allInnerTexts(), ["All\n1", "Failed\n1"]);
  await status("failed").click();
  await shows(page, ["Move CI cache"]);
  await at("goal-search").fill("nothing has these words");
  await at("goal-list-empty")
    .getByText("search “nothing has these words”, status Failed, folder ~/shop, model codex · gpt-5")
    .waitFor();
  await at("goal-filter-clear").click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="goal-card"]').length === 9);
  assert.equal(await at("filter-bar-clear").count(), 0);
}

/** A filter is saved under a name, found again, renamed and deleted, and the notice brings it back. */
async function checkSavedFilters(page) {
  const at = (id) => page.getByTestId(id);
  const saved = (names) =>
    page.waitForFunction((n) => String(window.gallery.bridge.settings.goal_filters.map((f) => f.name)) === n, names);
  await at("filter-folder").click();
  await at("menu-filter-folder-/home/ada/infra").click();
  await page.keyboard.press("Escape");
  await shows(page, ["Upgrade staging DB"]);
  await at("saved-filters").click();
  await at("menu-filter-save").click();
  await at("filter-name").fill("Staging");
  await page.keyboard.press("Enter");
  await saved("Staging");
  await at("filter-bar-clear").click();
  await page.waitForFunction(() => document.querySelectorAll('[data-testid="goal-card"]').length === 9);
  await at("saved-filters").click();
  await at("menu-saved-Staging").click();
  await shows(page, ["Upgrade staging DB"]);
  await at("saved-filters").getByText("Staging").click();
  await at("menu-filter-rename").click();
  await at("filter-name").fill("Infra");
  await at("filter-name-save").click();
  await saved("Infra");
  await at("saved-filters").getByText("Infra").click();
  await at("menu-filter-delete").click();
  await saved("");
  await page.getByRole("button", { name: "Undo" }).click();
  await saved("Infra");
}

/** Groups fold with a click and with Enter and keep their numbers; goals that work for another one are below it. */
async function checkGroups(page) {
  const at = (id) => page.getByTestId(id);
  const group = (dir) => page.locator(`[data-testid="goal-group"][data-group="${dir}"]`);
  await group("/home/ada/infra").and(page.locator('[aria-expanded="false"]')).waitFor();
  assert.equal((await group("/home/ada/infra").innerText()).replace(/\s+/g, " "), "~/infra 1");
  const order = await at("goal-card").allInnerTexts();
  const place = (words) => order.findIndex((text) => text.includes(words));
  assert.equal(place("Draw a logo"), place("flaky cart suite") + 1);
  assert.equal(place("last month's invoices"), place("flaky cart suite") + 2);
  assert.match(order[place("Draw a logo")], /Works for: Bring the flaky cart suite to green/);

  // The heads are in the way of the arrow keys, and Enter unfolds.
  await page
    .getByRole("row", { name: /Scrape 20 product pages/ })
    .getByRole("button")
    .focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement?.dataset.group === "/home/ada/infra");
  await page.keyboard.press("Enter");
  await at("goal-card").filter({ hasText: "Upgrade staging DB" }).waitFor();
  await group("/home/ada/shop").click();
  await shows(page, ["Upgrade staging DB"]);
  await page.evaluate(() => window.gallery.app.go("workspace"));
  await at("goal-list").waitFor({ state: "detached" });
  await page.evaluate(() => window.gallery.app.go("goals"));
  await shows(page, ["Upgrade staging DB"]); // the page remembers what is folded
  await group("/home/ada/shop").click();
}

/** Several goals at a limit get more of it and continue. */
async function checkLimits(page) {
  const at = (id) => page.getByTestId(id);
  await at("goal-card")
    .filter({ hasText: "Move CI cache" })
    .click({ modifiers: ["Control"] });
  await at("goal-card")
    .filter({ hasText: "Release notes" })
    .click({ modifiers: ["Control"] });
  await at("selection-raise").getByText("Raise limits 1…").click();
  await at("question").getByText("Move CI cache to the new bucket: 1 h → 2 h").first().waitFor();
  await at("question-yes").click();
  const call = await page.waitForFunction(() => window.gallery.bridge.calls.find((c) => c.method === "GoalAPI.Resume"));
  const { args } = await call.jsonValue();
  assert.equal(args[0], limited);
  assert.equal(args[1].wall_clock_ms, 7_200_000);
  await page.keyboard.press("Escape");
}

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

/** Finds what a goal did, below the goals with the word in their objective, and goes to the step. */
async function findInside(page) {
  const at = (id) => page.getByTestId(id);
  await at("goal-search").fill("cart");
  const ran = at("search-hit").and(page.locator('[data-place="ran"]')).first();
  await ran.locator("mark", { hasText: /cart/i }).first().waitFor();
  const step = /step (\d+)/.exec(await ran.textContent())?.[1];
  assert.ok(step, "the hit names no step");

  // From the field with Tab, through the hits with the arrows, and into the step with Enter.
  await at("search-hit").first().focus();
  while (!(await ran.evaluate((hit) => hit === document.activeElement))) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await at("goal-header").waitFor();
  await page.locator(`[data-testid="step"][data-n="${step}"]`).first().waitFor();
  // The search stays beside the open goal; a word that nobody said finds nothing.
  await at("goal-search").fill("cart nowhere");
  await at("search-hits-total").getByText("Nothing found").waitFor();
  await at("goal-search").fill("");
  await at("search-hits").waitFor({ state: "detached" });
}
