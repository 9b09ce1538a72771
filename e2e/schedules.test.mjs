// A goal that repeats, from the New goal dialog: its dry run changes a copy, the user looks at it and promotes the
// schedule, and the next run changes the folder.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const minute = limit(60_000);

test("a goal repeats: a dry run in a copy, then a run in the folder", { timeout: 4 * minute }, async (t) => {
  const model = await startModel([
    (body) =>
      body.messages.some((m) => m.role === "assistant")
        ? { tool: "claim_complete", args: { rationale: "the file is there" } }
        : { tool: "write_file", args: { path: "done.txt", content: "x\n" } },
  ]);
  try {
    await withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const dir = join(home, "shop");
      mkdirSync(dir);
      await addProvider(page, model);

      // Without schedules the page says how to make one.
      await at("rail-schedules").click();
      await at("schedules-empty").getByText("Repeat…").waitFor();
      await at("schedule-new").click();
      await at("check-command").fill("test -s done.txt");
      await at("field-objective").fill("Write the notes");
      await at("field-dir").fill(dir);
      await at("repeat-goal").click();

      // The times are said in words, with what is wrong.
      await at("schedule-words").getByText("at 7:00 from Monday to Friday").waitFor();
      await at("schedule-cron").fill("0 25 * * *");
      await at("error-cron").getByText("the hour must be 0 to 23").waitFor();
      await at("schedule-preset").getByText("Every Monday").click();
      await at("schedule-zone").fill("Europe/Berlin");
      await at("schedule-words").getByText("at 7:00 on Monday (Europe/Berlin)").waitFor();
      await at("schedule-overlap").selectOption("queue");
      await at("schedule-month").fill("5");
      await at("schedule-save").click();
      await at("new-goal").waitFor({ state: "detached" });
      await at("schedule").and(page.locator('[data-mode="dry_run"]')).waitFor();
      await at("schedule-next").getByText("Mon ").waitFor();
      assert.ok(await at("schedule-promote").isDisabled());

      // The dry run changes a copy. Its goal is opened from the list of runs.
      await at("schedule-run").click();
      const done = at("schedule-run-row").filter({ hasText: "Done" });
      await done.waitFor({ timeout: minute });
      await done.getByText("dry run").waitFor();
      assert.ok(!existsSync(join(dir, "done.txt")), "a dry run changed the user's folder");
      await done.getByTestId("schedule-run-open").click();
      await at("goal-header").and(page.locator('[data-status="completed"]')).waitFor();
      await at("story-changes").click();
      await at("changes-file").and(page.locator('[data-path="done.txt"]')).waitFor();

      // Promoted, a run changes the folder, and the next one finds nothing to do.
      await at("rail-schedules").click();
      await at("schedule-promote").click();
      await at("schedule").and(page.locator('[data-mode="active"]')).waitFor();
      await at("schedule-run").click();
      await done.nth(1).waitFor({ timeout: minute });
      assert.equal(readFileSync(join(dir, "done.txt"), "utf8"), "x\n");
      await page.locator('[data-testid="schedule-run"]:enabled').click();
      await at("schedule-run-row").getByText("there was nothing to do").waitFor({ timeout: minute });

      // After an absence of two hours, the window says what happened.
      await page.evaluate(() => localStorage.setItem("goalpost.present", String(Date.now() - 2 * 3_600_000)));
      await page.reload();
      await at("digest").getByText("Done (2)").waitFor();
      await at("digest-sum").getByText("0 goals running").waitFor();
      await at("digest-goal").first().getByRole("button", { name: "Review changes" }).click();
      await at("digest").waitFor({ state: "detached" });
      await at("changes-file").and(page.locator('[data-path="done.txt"]')).waitFor();
      await at("rail-schedules").click();

      // Its times are changed, it is turned off, and deleted after a question.
      await at("schedule-edit").click();
      await at("schedule-preset").getByText("Every hour").click();
      await at("schedule-words").getByText("every hour at minute 0").waitFor();
      await page.keyboard.press("Control+Enter");
      await at("schedule-details").getByText("every hour at minute 0").waitFor();

      // Its goal is changed in the form that made it. The times stay, and it does dry runs again.
      await at("schedule-goal").click();
      assert.equal(await at("field-dir").inputValue(), dir);
      assert.equal(await at("check-command").inputValue(), "test -s done.txt");
      await at("field-objective").fill("Write other notes");
      await at("check-command").fill("test -s other.txt");
      await page.keyboard.press("Control+Enter");
      await at("new-goal").waitFor({ state: "detached" });
      await at("schedule-details").getByText("Write other notes").waitFor();
      await at("schedule").and(page.locator('[data-mode="dry_run"]')).waitFor();
      await at("schedule-details").getByText("every hour at minute 0").waitFor();
      assert.ok(await at("schedule-promote").isDisabled());
      await at("schedule-off").click();
      await at("schedule").and(page.locator('[data-mode="off"]')).waitFor();
      await at("schedule-delete").click();
      await at("question-yes").click();
      await at("schedules-empty").waitFor();
      await page.keyboard.press("Escape");
      await at("window").and(page.locator('[data-route="workspace"]')).waitFor();
      assert.deepEqual(complaints(said), []);
    });
  } finally {
    model.close();
  }
});
