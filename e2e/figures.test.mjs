// How well goals work, from the user's own data: a goal that was verified and is not done is reported, and counts.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

test("a goal that is not done is reported, reopened and counted", { timeout: limit(240_000) }, async (t) => {
  const model = await startModel([
    { tool: "write_file", args: { path: "a.txt", content: "one\n" } },
    { tool: "claim_complete", args: { rationale: "it is there" } },
    {
      tool: "abort_with_report",
      args: {
        reason: "nobody can know what is wrong",
        what_was_learned: "nothing",
      },
    },
  ]);
  try {
    await withApp(t, (app) => report(app, model));
  } finally {
    model.close();
  }
});

/** The values of a plot are shown at the mouse and by arrow keys; the context and the time are those of real turns. */
async function showsPlots(page) {
  const at = (id) => page.getByTestId(id);
  const value = at("plot-context-drawn-value");
  assert.match(await at("plot-context-now").innerText(), /^[\d.]+( k)? of [\d.]+ k tokens, \d+ % full$/);
  await at("plot-context-drawn")
    .locator(".u-over")
    .hover({ position: { x: 60, y: 60 } });
  await value.getByText(/^Running time .* · Tokens .* · Window .* · Full \d+ %$/).waitFor();
  await page.mouse.move(0, 0);
  await page.waitForFunction(() => !document.querySelector('[data-testid="plot-context-drawn-value"]').textContent);
  await at("plot-context-drawn").press("Home");
  assert.equal(await at("plot-context-drawn").getAttribute("aria-valuenow"), "1");
  assert.equal(await at("plot-context-drawn").getAttribute("aria-valuetext"), await value.innerText());
  const kinds = await at("plot-time-drawn").getByRole("listitem").allInnerTexts();
  for (const kind of ["Model", "Files", "Checks of claims"])
    assert.ok(
      kinds.some((k) => k.startsWith(kind)),
      `${kind} is not in ${kinds}`,
    );
}

/** In a narrower window, what all goals spent is in a menu. */
async function showsSpendInNarrowWindow(page) {
  const at = (id) => page.getByTestId(id);
  const size = page.viewportSize();
  for (const width of [1100, 800, 390]) {
    await page.setViewportSize({ width, height: 700 });
    await at("overviews").click();
    await at("menu-spend").click();
    for (const by of ["day", "persona", "folder", "model"]) {
      await at(`spend-by-${by}`).click();
      await at("plot-days-empty").waitFor(); // the played model has no price
    }
    await page.keyboard.press("Escape");
    await at("spend-dialog").waitFor({ state: "detached" });
  }
  await page.setViewportSize(size);
}

async function report({ page, home }, model) {
  const at = (id) => page.getByTestId(id);
  await addProvider(page, model);
  const dir = join(home, "mine");
  mkdirSync(dir);
  const goal = await startGoal(page, {
    objective: "write a text",
    dir,
    command: "test -s a.txt",
  });
  const card = page.locator(`[data-testid="goal-card"][data-goal="${goal}"]`);
  await card.and(page.locator('[data-exit="done"]')).waitFor();
  await card.click();
  const accept = at("decide-accept"); // of a pass that is doubted
  await accept.or(at("goal-not-done")).first().waitFor();
  if (await accept.isVisible()) await accept.click();
  await at("goal-not-done").click();
  assert.ok(await at("answer-send").isDisabled(), "it can be reported without saying why");
  await at("answer-text").fill("the text is wrong");
  await at("answer-send").click();
  await card.and(page.locator('[data-exit="gave_up"]')).waitFor();

  await page.keyboard.press("6");
  await at("plot-checks-drawn").waitFor();
  await at("plot-checks-table").click();
  await at("plot-checks-numbers").getByRole("row").nth(1).waitFor();
  await showsPlots(page);
  await page.keyboard.press("Escape");
  await showsSpendInNarrowWindow(page);
  await at("figures-open").click();
  await at("figure-false-done").getByText("You said so of 1 of 1 that were verified").waitFor();
  await at("figure-honest").getByText("1 of 1 that did not end done, with a report").waitFor();
  await at("figure-asks").getByText("0 requests of 1 goal").waitFor();
}
