// A goal in a git worktree of its own, from the dialog to the merge: the user's files stay, the branch has the work,
// and the window lists the worktree, gives the command that merges it, opens its folder and removes it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { makeRepository } from "./lib/repository.mjs";
import { until } from "./window/window.mjs";

const minute = limit(60_000);

test(
  "a goal works in a git worktree, which is merged and removed in the window",
  { timeout: 3 * minute },
  async (t) => {
    const model = await startModel([
      { tool: "write_file", args: { path: "done.txt", content: "x" } },
      { tool: "claim_complete", args: { rationale: "the file is there" } },
    ]);
    try {
      await withApp(t, async ({ page, home, said }) => {
        const at = (id) => page.getByTestId(id);
        await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
        const repo = join(home, "shop");
        makeRepository(repo);
        const git = (...args) => execFileSync("git", ["-C", repo, ...args], { encoding: "utf8" }).trim();
        git("config", "user.name", "Ada");
        git("config", "user.email", "ada@example.org");
        await addProvider(page, model);

        // The dialog offers the worktree and says where its branch begins.
        await at("rail-goals").click();
        await at("dashboard-new-goal").click();
        await at("check-command").fill("test -s done.txt");
        await at("field-objective").fill("Write the notes");
        await at("field-dir").fill(repo);
        await at("field-worktree").check();
        await at("worktree-details").getByText("goalpost/write-the-notes").waitFor();
        await page.keyboard.press("Control+Enter");
        await at("new-goal").waitFor({ state: "detached" });
        if (!(await at("dashboard").isVisible())) await at("rail-goals").click();
        const header = at("goal-header").and(page.locator('[data-status="completed"]'));
        await header.waitFor({ timeout: minute });
        assert.equal(existsSync(join(repo, "done.txt")), false, "the user's folder is as it was");
        assert.equal(git("show", "goalpost/write-the-notes:done.txt"), "x");

        // The list shows goal, branch and state. The command that it copies merges the branch.
        await header.getByTestId("goal-worktrees").click();
        const row = at("worktree");
        await row.getByText("goalpost/write-the-notes").waitFor();
        assert.equal(await row.getByTestId("worktree-state").innerText(), "not merged");
        const path = await row.getAttribute("data-path");
        await row.getByTestId("worktree-merge").click();
        await row.getByText("Merge command copied").waitFor();
        const command = await page.evaluate(() => navigator.clipboard.readText());
        assert.equal(command, `git -C ${repo} merge goalpost/write-the-notes`);

        // Its folder opens in a terminal.
        await row.getByTestId("worktree-open").click();
        await at("terminal").last().click();
        await page.keyboard.type("pwd > ~/where; mv ~/where ~/where.txt\n");
        await until("the terminal's folder", () => existsSync(join(home, "where.txt")));
        assert.equal(readFileSync(join(home, "where.txt"), "utf8").trim(), path);

        // Before it removes work that no other branch has, the dialog says so. After the merge nothing is lost.
        await at("rail-goals").click();
        await at("worktrees-open").click();
        await row.getByTestId("worktree-remove").click();
        await at("question").getByText("Remove this worktree and its work?").waitFor();
        await at("question-no").click();
        assert.ok(existsSync(path));
        execFileSync("sh", ["-c", `${command} -q`]);
        assert.equal(readFileSync(join(repo, "done.txt"), "utf8"), "x");
        await at("worktrees-close").click();
        await at("worktrees-open").click();
        await row.getByText("merged", { exact: true }).waitFor();
        await row.getByTestId("worktree-remove").click();
        await at("question").getByText("Remove this worktree?").waitFor();
        await at("question-yes").click();
        await at("worktrees-empty").waitFor();
        assert.equal(existsSync(path), false);
        assert.equal(git("branch", "--list", "goalpost/*"), "");
        assert.deepEqual(
          said.filter((line) => line.startsWith("error")),
          [],
          "the page reported errors",
        );
      });
    } finally {
      model.close();
    }
  },
);
