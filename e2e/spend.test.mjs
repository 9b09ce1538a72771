// The cost of models is shown in the workspace, and a daily limit pauses a goal until the limit is raised.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { openSettings, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const goalctl = fileURLToPath(new URL("../bin/goalctl", import.meta.url));

test("a daily limit pauses a goal, and raising it continues the goal", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { tool: "run_command", args: { command: "echo one" } },
    { tool: "run_command", args: { command: "touch done.txt" } },
    { tool: "claim_complete", args: { rationale: "done.txt exists" } },
  ]);
  try {
    await withApp(t, async ({ page, home }) => {
      const at = (id) => page.getByTestId(id);
      await addProvider(page, model);
      const price = ["--input-price", "1000", "--output-price", "1000"];
      execFileSync(goalctl, ["providers", "add", "played", ...price], {
        env: { ...process.env, HOME: home, GOALPOST_HOME: home },
      });

      await openSettings(page, "spending");
      await at("spend-empty").waitFor();
      await at("daily-limit").fill("0.01");
      await at("daily-limit").press("Enter");
      await at("settings-close").click();
      await startGoal(page, { objective: "create done.txt", dir: "", command: "test -f done.txt" });
      const answer = at("answer").and(page.locator('[data-kind="daily_limit"]'));
      await answer.getByText("Today's limit of $0.01 is reached; resumes tomorrow").waitFor();
      await at("status-spend").and(page.locator('[data-state="reached"]')).waitFor();
      assert.equal(model.asked.length, 1);

      await at("answer-raise-daily").click();
      assert.equal(await at("daily-limit").inputValue(), "$0.01");
      await at("daily-limit").fill("1000");
      await at("daily-limit").press("Enter");
      await at("settings-close").click();
      await at("rail-goals").click();
      await at("goal-card").filter({ hasText: "create done.txt" }).click();
      await at("goal-header").getByText("Done", { exact: true }).first().waitFor();

      await openSettings(page, "spending");
      await at("spend-by-goal").click();
      await at("spend-row").filter({ hasText: "create done.txt" }).getByText("$").waitFor();
      await at("spend-by-model").click();
      await at("spend-row").and(page.locator('[data-key="played"]')).waitFor();
      assert.match(await at("status-spend").innerText(), /^\$[\d.]+\s+of \$1000\.00\s+today/);
    });
  } finally {
    model.close();
  }
});
