// The changes that a goal made with shell commands are reviewed, undone and redone in the page. Later changes of the
// user stay, and git's own folder is not touched.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { hashOfGit, makeRepository } from "./lib/repository.mjs";
import { until } from "./window/window.mjs";

const minute = limit(60_000);

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
    const editor = `sh -c 'echo "$@" > ~/edited.part; mv ~/edited.part ~/edited' sh --wait`;
    await withApp(
      t,
      async ({ page, home, said }) => {
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

        const head = (words) => at("goal-assurance").getByText(words, { exact: true });
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

        // The file opens in the user's editor, in a terminal.
        await file("colour.js").click();
        await page.keyboard.press("e");
        await until("the editor to have the file", () => existsSync(join(home, "edited")));
        assert.equal(readFileSync(join(home, "edited"), "utf8"), `--wait ${join(dir, "colour.js")}\n`);
        await at("pane-title").getByText("colour.js").waitFor(); // the window shows it, maybe after the editor has ended
        await at("rail-goals").click();
        await page.keyboard.press("2");
        await file("build/program").click();
        assert.equal(await at("edit-file").count(), 0);

        // A commit on its own branch does not change the branch that is checked out.
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

        // First one file is undone, then all except those that the user changed in the meantime.
        const git = hashOfGit(dir);
        await file("version.txt").click();
        await page.keyboard.press("u");
        await file("version.txt").waitFor({ state: "detached" });
        assert.equal(read("version.txt"), "1\n");
        await head("Done, version.txt undone: checks pass").waitFor();
        await at("goal-card").getByText("Done, version.txt undone: checks pass").waitFor();
        const notices = page.getByRole("region", { name: /Notifications/ });
        await notices.getByText("1 file restored").waitFor();
        await notices.getByRole("button", { name: "Put back", exact: true }).click();
        await file("version.txt").waitFor();
        assert.equal(read("version.txt"), "2\n");
        await head("Verified").waitFor();
        await file("version.txt").click();
        await at("undo-file").click();
        await file("version.txt").waitFor({ state: "detached" });
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

        // The verdicts are about the folder before the undo, so the checks have run again.
        await head("Done, 4 files undone: checks fail").waitFor();
        await at("goal-rail").locator('[data-testid="check"][data-outcome="fail"]').waitFor({ state: "attached" });

        // The undos are undone one by one. The user's file is overwritten only if it is selected.
        await at("redo").click();
        await at("undo-confirm").click();
        await file("lib/old.sh").waitFor();
        await head("Done, version.txt undone: checks pass").waitFor();
        await at("redo").click();
        await at("undo-confirm").click();
        await file("version.txt").waitFor();
        await head("Verified").waitFor();
        await at("redo").waitFor({ state: "detached" });
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
        await undone.getByText("Changes restored").first().waitFor();
        assert.equal(await undone.count(), 7);

        // The checks have a tab, and a file opens in the user's editor.
        await page.keyboard.press("3");
        await at("checks-claim").getByText("test -f done.txt").waitFor();
        assert.deepEqual(complaints(said), []);
      },
      { VISUAL: editor },
    );
  } finally {
    model.close();
  }
});
