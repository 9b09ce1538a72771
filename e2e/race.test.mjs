// A race from the dialog to the commit: three runners, of which two pass. The user compares them, takes the first with
// a key, finds it committed in the folder, and takes it back.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { makeRepository } from "./lib/repository.mjs";

const minute = limit(60_000);

test("of three runners, two pass and one is committed to the folder", { timeout: 3 * minute }, async (t) => {
  let begun = 0;
  const model = await startModel([
    (body) => {
      if (body.messages.some((m) => m.role === "assistant"))
        return { tool: "claim_complete", args: { rationale: "the file is there" } };
      begun += 1;
      return begun === 2
        ? { tool: "abort_with_report", args: { reason: "enough", what_was_learned: "-" } }
        : { tool: "write_file", args: { path: "done.txt", content: "x\n" } };
    },
  ]);
  try {
    await withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const repo = join(home, "shop");
      makeRepository(repo);
      const git = (...args) => execFileSync("git", ["-C", repo, ...args], { encoding: "utf8" }).trim();
      git("config", "user.name", "Ada");
      git("config", "user.email", "ada@example.org");
      const branch = git("symbolic-ref", "--short", "HEAD");
      await addProvider(page, model);

      await at("rail-goals").click();
      await at("dashboard-new-goal").click();
      await at("check-command").fill("test -s done.txt");
      await at("field-objective").fill("Write the notes");
      await at("field-dir").fill(repo);
      await at("race-on").click();
      await at("runner-add").click();
      assert.equal(await at("runners").locator("select").count(), 3);
      await at("start-goal").getByText("Start race").click();
      await at("new-goal").waitFor({ state: "detached" });

      const race = at("race");
      await race.getByTestId("race-runner").nth(2).waitFor({ timeout: minute });
      await at("race-summary").getByText("2 passed").waitFor({ timeout: minute });
      await at("race-summary").getByText("1 failed").waitFor();
      await race.getByText("Ranked first").waitFor();
      await at("race-ranked-by").getByText("no model is chosen as reviewer").waitFor();
      assert.equal(await race.getByTestId("race-take").count(), 2, "only those that passed can be taken");
      assert.equal(existsSync(join(repo, "done.txt")), false, "the user's folder is as it was");

      // A file shows what each runner changed in it.
      await race.getByTestId("race-file").filter({ hasText: "done.txt" }).click();
      await race.getByTestId("race-side").getByText("x", { exact: true }).first().waitFor();
      assert.equal(await race.getByTestId("race-side").count(), 3);

      // The number of the runner takes it, after a question.
      const first = race.getByTestId("race-runner").filter({ hasText: "Ranked first" });
      await page.keyboard.press(await first.getAttribute("data-runner"));
      await at("question").getByText(": 1 file.").last().waitFor();
      await at("question-other").getByText("Take and commit").click();
      await race.getByText("Taken", { exact: true }).waitFor();
      assert.equal(git("show", `${branch}:done.txt`), "x");
      assert.equal(git("log", "-1", "--format=%s"), "Write the notes");
      await race.getByText(`committed to ${branch}`).waitFor();

      await at("race-undo").click();
      await race.getByTestId("race-take").nth(1).waitFor();
      assert.equal(existsSync(join(repo, "done.txt")), false, "the undo restores the folder");
      await at("race-close").click();
      await race.waitFor({ state: "detached" });
      assert.deepEqual(
        said.filter((line) => line.startsWith("error")),
        [],
        "the page reported errors",
      );
    });
  } finally {
    model.close();
  }
});

test("a reviewer ranks those that passed, with reasons", { timeout: 3 * minute }, async (t) => {
  let begun = 0;
  // The one that comes second wrote more.
  const rank = (message) => {
    const text = JSON.stringify(message);
    const best = text.indexOf("careful") < text.indexOf("change B") ? "A" : "B";
    const ranking = [
      { change: best, reason: "It says what was done." },
      { change: best === "A" ? "B" : "A", reason: "It says nothing." },
    ];
    return JSON.stringify({ ranking });
  };
  const write = (content) => ({ tool: "write_file", args: { path: "done.txt", content } });
  const model = await startModel(
    [
      (body) => {
        if (body.messages.some((m) => m.role === "assistant"))
          return { tool: "claim_complete", args: { rationale: "the file is there" } };
        begun += 1;
        return write(begun === 2 ? "a careful note, longer than the other\n" : "x\n");
      },
    ],
    { rank },
  );
  try {
    await withApp(t, async ({ page, home }) => {
      const at = (id) => page.getByTestId(id);
      const repo = join(home, "shop");
      makeRepository(repo);
      await addProvider(page, model);
      await openSettings(page, "models");
      const reviewer = await at("role-review_model").locator("option").nth(1).textContent();
      await at("role-review_model").selectOption(reviewer);
      await savedSettings(home, (settings) => settings.review_model === reviewer);
      await at("settings-close").click();

      await at("rail-goals").click();
      await at("dashboard-new-goal").click();
      await at("check-command").fill("test -s done.txt");
      await at("field-objective").fill("Write the notes");
      await at("field-dir").fill(repo);
      await at("race-on").click();
      await at("start-goal").getByText("Start race").click();
      await at("new-goal").waitFor({ state: "detached" });

      const race = at("race");
      await at("race-summary").getByText("2 passed").waitFor({ timeout: minute });
      await at("race-ranked-by").getByText("which saw the changes without names").waitFor({ timeout: minute });
      const first = race.getByTestId("race-runner").filter({ hasText: "Ranked first" });
      await first.getByTestId("race-why").getByText("It says what was done.").waitFor();
      await race.getByTestId("race-why").getByText("It says nothing.").waitFor();
      const runner = await first.getAttribute("data-runner");
      await page.keyboard.press(runner);
      await at("question-other").getByText("Take and commit").waitFor();
    });
  } finally {
    model.close();
  }
});
