// What a goal changed by means of the shell is reviewed, undone and brought back in the page; what the user changed since
// stays, and git's own folder is not touched.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { startModel } from "./lib/model.mjs";
import { hashOfGit, makeRepository } from "./lib/repository.mjs";

const minute = 60_000;

test("changes of a goal are reviewed, undone, and brought back", { timeout: 4 * minute }, async (t) => {
  const command = (line) => ({
    tool: "run_command",
    args: { command: line },
  });
  const model = await startModel([
    command('sed -i "s/red/blue/" colour.js'),
    command("rm -r lib"),
    command("git checkout -q next"),
    command("make -s && echo made > done.txt"),
    { tool: "claim_complete", args: { rationale: "it is there" } },
  ]);
  try {
    await withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const dir = join(home, "work");
      const read = (name) => readFileSync(join(dir, name), "utf8");
      mkdirSync(dir);
      makeRepository(dir);
      writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.org\n");
      await addProvider(page, model);
      await startGoal(page, {
        objective: "Paint it blue",
        dir,
        command: "test -f done.txt",
      });
      await at("goal-header").and(page.locator('[data-status="completed"]')).waitFor({ timeout: minute });

      const file = (path) => at("changes-file").and(page.locator(`[data-path="${path}"]`));
      await at("story-changes").click();
      await file("colour.js").waitFor();
      assert.deepEqual(
        await at("changes-file").evaluateAll((all) => all.map((f) => `${f.dataset.change} ${f.dataset.path}`)),
        ["new build/program", "changed colour.js", "new done.txt", "deleted lib/old.sh", "changed version.txt"],
      );
      await file("colour.js").click();
      const added = at("diff-line").and(page.locator('[data-kind="add"]'));
      await added.getByText("blue").waitFor();
      await added.locator(".code-string").first().waitFor();
      await at("diff-unified").click();
      await at("diff").and(page.locator('[data-split="false"]')).waitFor();
      await file("build/program").click();
      await at("diff-binary")
        .getByText(/\d k?B/)
        .first()
        .waitFor();

      // A commit on a branch of its own leaves what is checked out alone.
      await at("commit").click();
      await at("commit-branch").fill("blue");
      await at("commit-file").first().uncheck();
      await at("commit-confirm").click();
      await at("commit-done").getByText("4 files committed to").waitFor();
      await page.keyboard.press("Escape");
      assert.equal(
        execFileSync("git", ["log", "-1", "--format=%s", "--name-status", "blue"], { cwd: dir }).toString(),
        "Paint it blue\n\nM\tcolour.js\nA\tdone.txt\nD\tlib/old.sh\n",
      );

      // One file, then all but what the user changed in the meantime.
      const git = hashOfGit(dir);
      await file("version.txt").click();
      await at("undo-file").click();
      await at("undo-confirm").click();
      await file("version.txt").waitFor({ state: "detached" });
      assert.equal(read("version.txt"), "1\n");
      writeFileSync(join(dir, "colour.js"), "by the user\n");
      await at("undo-all").click();
      await at("undo-conflicts").getByText("colour.js").waitFor();
      await at("undo-confirm").click();
      await at("undo-dialog").waitFor({ state: "detached" });
      await file("lib/old.sh").waitFor({ state: "detached" });
      assert.equal(read("colour.js"), "by the user\n");
      assert.equal(read("lib/old.sh"), "#!/bin/sh\necho old\n");
      assert.equal(statSync(join(dir, "lib/old.sh")).mode & 0o777, 0o755);
      assert.ok(!existsSync(join(dir, "build")) && !existsSync(join(dir, "done.txt")));

      // The checks speak of the folder before; they can be run again.
      await at("undone-check").click();
      await at("undone-result").getByText("The checks fail.").waitFor();

      // The undo is undone, and the user's file overwritten only when it is ticked.
      await at("redo").click();
      await at("undo-confirm").click();
      await file("lib/old.sh").waitFor();
      assert.ok(existsSync(join(dir, "build/program")) && !existsSync(join(dir, "lib")));
      assert.equal(read("colour.js"), "by the user\n");
      await at("undo-all").click();
      await at("undo-conflicts").getByRole("checkbox").first().check();
      await at("undo-confirm").click();
      await at("changes-empty").waitFor();
      assert.equal(read("colour.js"), 'export const colour = "red";\n');
      assert.equal(hashOfGit(dir), git);

      await at("story-log").click();
      // The dashboard covers the drawer, which shows them too.
      const undone = at("dashboard").locator('[data-testid="log-note"][data-kind="changes_undone"]');
      assert.equal(await undone.count(), 4);
      assert.deepEqual(complaints(said), []);
    });
  } finally {
    model.close();
  }
});
