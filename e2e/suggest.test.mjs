// Checks are suggested from the folder and tried at once; only the suggestions that the user adds become part of the
// goal.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

test("a suggested check is tried, added, and decides the goal", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { tool: "run_command", args: { command: "touch done.txt" } },
    { tool: "claim_complete", args: { rationale: "done.txt exists" } },
  ]);
  try {
    await withApp(t, async ({ page, home }) => {
      const at = (id) => page.getByTestId(id);
      const dir = join(home, "mine");
      mkdirSync(dir);
      writeFileSync(join(dir, "Makefile"), "test:\n\ttouch tried.txt\n\ttest -f done.txt\nbuild:\n\ttrue\n");
      await addProvider(page, model);
      await at("rail-goals").click();
      await at("dashboard-new-goal").click();
      await at("field-objective").fill("finish the work");
      await at("field-dir").fill(dir);
      await page.keyboard.press("Alt+S");
      const suggestion = at("suggestion").filter({ hasText: "make test" });
      await suggestion.and(page.locator('[data-outcome="fails_now"]')).waitFor();
      await at("suggestion").and(page.locator('[data-outcome="passes_already"]')).waitFor();
      await at("suggest-note").getByText("cannot be used").waitFor(); // the reply of the model is not valid
      assert.ok(!existsSync(join(dir, "tried.txt")), "it was tried in the folder itself");

      await suggestion.getByTestId("suggestion-add").click();
      assert.equal(await at("check-command").inputValue(), "make test");
      await at("suggestions-left").getByText("1 suggestion not added").waitFor();
      await page.keyboard.press("Control+Enter");
      await at("new-goal").waitFor({ state: "detached" });
      await at("goal-header").getByText("done", { exact: true }).first().waitFor();
      assert.equal(await at("goal-rail").getByTestId("check").count(), 1);
    });
  } finally {
    model.close();
  }
});
