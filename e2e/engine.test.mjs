// An external agent drives a goal that is started in the window: the picker names it, its work is in the activity, and
// the checks decide as for any goal. The agent is a program of the test; everything else is real.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { installAgent } from "./lib/agent.mjs";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const minute = limit(60_000);

test(
  "an engine is picked in the dialog and drives the goal to its verified end",
  { timeout: 3 * minute },
  async (t) => {
    const tools = mkdtempSync(join(tmpdir(), "goalpost-agent-"));
    const model = await startModel([{ text: "nobody asks this model" }]);
    try {
      const path = `${installAgent(tools)}:${process.env.PATH}`;
      await withApp(
        t,
        async ({ page, home, said }) => {
          const at = (id) => page.getByTestId(id);
          const dir = join(home, "mine");
          mkdirSync(dir);
          await addProvider(page, model);
          await at("rail-goals").click();
          await at("dashboard-new-goal").click();
          await at("check-command").fill("test -s done.txt");
          await at("field-objective").fill("Write the file");
          await at("field-dir").fill(dir);

          // Goalpost's own loop is chosen; the agent is offered with its version and its credentials.
          await at("say-model").click();
          await at("engine-model").locator("input:checked").waitFor({ state: "attached" });
          await at("engine-opencode").click();
          await at("engine-note").getByText("OpenCode 1.18.33 works inside the goal's sandbox").waitFor();
          await page.keyboard.press("Control+Enter");
          await at("new-goal").waitFor({ state: "detached" });
          if (!(await at("dashboard").isVisible())) await at("rail-goals").click();

          await at("goal-header").and(page.locator('[data-status="completed"]')).waitFor({ timeout: minute });
          await at("goal-header").getByText("by opencode").waitFor();
          assert.equal(readFileSync(join(dir, "done.txt"), "utf8"), "x");
          await at("step-log").getByText("I write the file.").waitFor();
          await at("step-log").locator('[data-testid="claim"]').getByText("test -s done.txt").waitFor();
          assert.equal(model.asked.length, 0, "the goal's model was not asked by Goalpost's loop");
          assert.deepEqual(
            said.filter((line) => line.startsWith("error")),
            [],
            "the page reported errors",
          );
        },
        { PATH: path },
      );
    } finally {
      model.close();
      rmSync(tools, { recursive: true, force: true });
    }
  },
);
