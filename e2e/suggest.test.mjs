// The path of a new user, counted: from an empty data folder to a commit, with a check that was suggested from the
// folder and tried at once.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { makeRepository } from "./lib/repository.mjs";

const mostActions = 12;

test("from an empty data folder to a commit, with a suggested check", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { tool: "run_command", args: { command: "touch done.txt" } },
    { tool: "claim_complete", args: { rationale: "done.txt exists" } },
  ]);
  try {
    await withApp(t, async ({ page, home }) => {
      const at = (id) => page.getByTestId(id);
      const actions = [];
      const act = async (words, doing) => {
        actions.push(words);
        await doing;
      };
      const dir = join(home, "mine");
      makeRepository(dir);
      writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
      writeFileSync(join(dir, "Makefile"), "test:\n\ttouch tried.txt\n\ttest -f done.txt\nbuild:\n\ttrue\n");

      await act("choose the custom endpoint", at("preset-custom").click());
      // Only into a field that has the focus already is anything typed without another action.
      const enter = async (words, id, text) => {
        await page.waitForFunction((id) => document.activeElement?.dataset.testid === id, id);
        await act(words, page.keyboard.insertText(text));
      };
      await enter("enter the address", "connect-address", model.url);
      await act("test it", at("connect-test").click());
      await at("connect-status").and(page.locator('[data-state="ok"]')).waitFor();
      await act("save and use it", at("connect-save").click());
      await at("new-goal").waitFor();
      await enter("say what", "field-objective", "finish the work");
      await act("choose the folder's field", at("field-dir").click({ clickCount: 3 }));
      await enter("say where", "field-dir", dir);
      const before = await at("allowed-words").boundingBox();

      // Nothing else is asked: the check that fails now comes by itself, the one that passes already is folded.
      const suggestion = at("suggestion").filter({ hasText: "make test" });
      await suggestion.and(page.locator('[data-outcome="fails_now"]')).waitFor();
      await suggestion.getByTestId("suggestion-add").and(page.locator(":checked")).waitFor();
      await at("suggestions-useless").getByText("1 more: passes already").waitFor();
      assert.equal(await at("check-command").count(), 0, "the empty check is still there");
      assert.deepEqual(await at("allowed-words").boundingBox(), before, "the suggestions moved what is below them");
      assert.ok(!existsSync(join(dir, "tried.txt")), "it was tried in the folder itself");
      assert.equal(model.asked.length, 0, "a model was asked although nobody wanted that");

      await act("start", page.keyboard.press("Control+Enter"));
      await at("new-goal").waitFor({ state: "detached" });
      await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
      assert.equal(await at("goal-rail").getByTestId("check").count(), 1);
      await act("look at the changes", at("story-changes").click());
      await act("commit…", at("commit").click());
      await act("confirm it", at("commit-confirm").click());
      await at("commit-done").waitFor();
      assert.match(
        execFileSync("git", ["log", "--all", "--oneline"], { cwd: dir, encoding: "utf8" }),
        /finish the work/,
      );
      t.diagnostic(`${actions.length} actions (at most ${mostActions}): ${actions.join("; ")}`);
      assert.ok(actions.length <= mostActions, `${actions.length} actions`);
    });
  } finally {
    model.close();
  }
});
