// A user shares one of their pages with a goal. The agent drives the page, and asks before it does anything there. The
// user takes the page over, and hands it back as the answer to the agent's question.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { Pane } from "./lib/pane.mjs";
import { startSite } from "./lib/site.mjs";

test("a user shares a page with a goal", { timeout: limit(300_000) }, async (t) => {
  const site = await startSite();
  const model = await startModel([
    { tool: "browser_open", args: { pane: "b1", url: `${site.url}/mouse.html` } },
    { tool: "browser_open", args: { pane: "b1", url: `${site.url}/keys.html` } },
    { tool: "browser_wait", args: { pane: "b1", text: "never said by it", seconds: 110 } },
    { text: "I look again.", tool: "browser_snapshot", args: { pane: "b1" } },
    { tool: "browser_open", args: { url: "about:blank" } },
    { tool: "ask_user", args: { question: "There is a second factor.", pane: "b2" } },
    { tool: "run_command", args: { command: "touch done.txt" } },
    { tool: "claim_complete", args: { rationale: "done.txt exists" } },
  ]);
  try {
    await withApp(t, ({ page, home }) => walk(page, home, model, site));
  } finally {
    model.close();
    site.close();
  }
});

async function walk(page, home, model, site) {
  const at = (id) => page.getByTestId(id);
  const dir = join(home, "mine");
  mkdirSync(dir);
  await addProvider(page, model);

  // The user's own page, which only the user drives.
  await at("new-browser").click();
  const pane = new Pane(page, page.locator('[data-testid="browser"][data-pane="b1"]'), site);
  await pane.root.waitFor();
  await pane.enter(`${site.url}/second.html`);
  await pane.shows("Second");
  assert.equal(await pane.at("driver").count(), 0);

  await page.keyboard.press("Control+Shift+KeyG");
  await at("new-goal").waitFor();
  await at("check-command").fill("test -f done.txt");
  await at("field-objective").fill("look at my page, then create done.txt");
  await at("field-dir").fill(dir);
  await at("more").click();
  await page.locator('[data-testid="share-pane"][data-id="b1"]').check();
  await at("new-goal").getByText("asks before it acts").waitFor();
  await page.keyboard.press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });
  await at("dashboard").waitFor();
  await at("rail-workspace").click();

  // The agent drives the page now, but does nothing there without an approval.
  await pane.root.locator('[data-testid="driver"][data-driver="agent"]').waitFor();
  await answer(page, "approval-deny");
  await answer(page, "approval-allow", "pane");
  await pane.root.getByTestId("agent-pointer").getByText("waits").waitFor();
  await pane.shows("Keys");
  assert.equal(model.asked.length, 3);

  await pane.at("take-over").click();
  await pane.root.locator('[data-testid="driver"][data-driver="user"]').waitFor();
  await pane.click(60, 34);
  await pane.says("focus a");
  assert.equal(model.asked.length, 3, "the model was asked while a user had the page");
  assert.equal(model.criticised.length, 0, "the critic was asked while a user had the page");
  await page.keyboard.press("Control+Shift+Space");
  await page.keyboard.press("i");
  await at("goal-drawer").getByText("Paused", { exact: true }).first().waitFor();
  await pane.at("hand-back").click();

  // The agent's question leads to the pane that it names, and handing it back is the answer.
  await at("rail-goals").click();
  await at("goal-card").click();
  await at("answer-pane").waitFor();
  await at("answer-take-over").click();
  const asked = page.locator('[data-testid="browser"][data-pane="b2"]');
  await asked.locator('[data-testid="driver"][data-driver="user"]').waitFor();
  assert.ok(await asked.isVisible(), "the pane was not brought before the user");
  await asked.getByTestId("hand-back").click();
  await at("rail-goals").click();
  await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
  assert.ok(existsSync(join(dir, "done.txt")));
  const requests = JSON.stringify(model.asked);
  assert.match(requests, /done what you asked for in pane b2/);

  // The page belongs to the user again, and stays open.
  await at("rail-workspace").click();
  await at("own-tab").click();
  await page.locator('[data-testid="pane-tab"][data-pane="b1"]').click();
  await pane.root.waitFor();
  await pane.at("driver").waitFor({ state: "detached" });
}

/** Answers the oldest request of a goal; scope is what an approval covers. */
async function answer(page, how, scope) {
  await page.getByTestId("status-needs-you").click();
  const asked = page.getByTestId("approval").first();
  await asked.waitFor();
  const request = await asked.getAttribute("data-request");
  if (scope) await asked.locator(`[data-testid="approval-scope"][data-scope="${scope}"]`).check();
  await asked.getByTestId(how).click();
  await page.locator(`[data-testid="approval"][data-request="${request}"]`).waitFor({ state: "detached" });
  await page.getByTestId("approvals-close").click();
}
