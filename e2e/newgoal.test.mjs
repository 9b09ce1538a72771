// A goal of the user's own: a provider is added, the dialog refuses what could
// not be decided, and the goal runs to its verified end.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

test("a goal from the dialog, with a model behind a server", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { text: "I claim too early.", tool: "claim_complete", args: { rationale: "it should be there" } },
    { text: "I make the file.", tool: "run_command", args: { command: "touch done.txt" } },
    { text: "Now it is there.", tool: "claim_complete", args: { rationale: "done.txt exists" } },
  ]);
  try {
    await withApp(t, ({ page, home }) => walk(page, home, model));
  } finally {
    model.close();
  }
});

async function walk(page, home, model) {
  const at = (id) => page.getByTestId(id);
  const dir = join(home, "mine");
  mkdirSync(dir);

  await addProvider(page, model);

  // The key works with the focus in a terminal.
  await at("new-terminal").click();
  const terminal = at("terminal").first();
  await terminal.locator(".xterm-screen").click();
  await page.keyboard.type("echo kept $((40+2))\n");
  await terminal.getByText("kept 42").first().waitFor();

  // A command that failed becomes a check, with its folder and its output.
  await page.keyboard.type("cd mine && cat gone.txt\n");
  await terminal.locator(".prompt-failed").waitFor({ state: "attached" });
  await page.keyboard.press("Control+Shift+KeyM");
  await at("new-goal").waitFor();
  assert.equal(await at("check-command").inputValue(), "cd mine && cat gone.txt");
  assert.equal(await at("field-dir").inputValue(), home);
  await at("attachment-open").click();
  await at("attachment").getByText("gone.txt: No such file").waitFor();
  await page.keyboard.press("Escape");
  await at("new-goal").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Shift+KeyG");
  await at("new-goal").waitFor();
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "field-objective");

  // A goal that could not be decided is refused, and the typed text stays.
  await at("start-goal").click();
  await page.locator('[data-testid="field-objective"][aria-invalid="true"]').waitFor();
  await at("error-criterion").waitFor();
  await page.keyboard.press("Escape");
  await at("new-goal").waitFor({ state: "detached" });
  await at("dashboard-new-goal").click();
  await at("check-command").fill("if true; then");
  await at("field-objective").fill("create done.txt");
  await at("field-dir").fill(dir);
  await at("check-try").click();
  await at("try-result").and(page.locator('[data-outcome="cannot_run"]')).waitFor();
  await at("check-command").fill("true");
  await at("check-try").click();
  await at("try-result").and(page.locator('[data-outcome="passes_already"]')).waitFor();
  await at("start-goal").click();
  await at("error-criterion").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+Shift+KeyG"); // closes the dashboard
  await at("dashboard").waitFor({ state: "detached" });
  await page.keyboard.press("Control+Shift+KeyG");
  await at("new-goal").waitFor();
  assert.equal(await at("field-objective").inputValue(), "create done.txt");
  assert.equal(model.asked.length, 0, "no model is asked before a goal is accepted");

  await at("check-command").fill("test -f done.txt");
  await at("check-try").click();
  await at("try-result").and(page.locator('[data-outcome="fails_now"]')).waitFor();
  await page.keyboard.press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });

  await at("step-log").getByTestId("verdict").and(page.locator('[data-outcome="fail"]')).waitFor();
  await at("step-log").getByTestId("verdict").and(page.locator('[data-outcome="pass"]')).waitFor();
  await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
  await at("receipt-open").click();
  await at("receipt-dialog").locator('[data-testid="receipt-claim"][data-deciding="true"]').waitFor();
  assert.ok(existsSync(join(dir, "done.txt")));
  assert.equal(model.asked.length, 3);
  const requests = model.asked[1].messages.map((m) => JSON.stringify(m)).join("\n");
  assert.match(requests, /exited with 1, expected 0/, "the model did not get the reason why its claim failed");
}

test("what the agent may change, from the dialog", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { text: "I make it here.", tool: "run_command", args: { command: "touch done.txt" } },
    { text: "I write it here.", tool: "write_file", args: { path: "done.txt", content: "x" } },
    { text: "Then there.", tool: "run_command", args: { command: "touch out/done.txt" } },
    { text: "Now it is there.", tool: "claim_complete", args: { rationale: "out/done.txt exists" } },
  ]);
  try {
    await withApp(t, ({ page, home }) => limitWork(page, home, model));
  } finally {
    model.close();
  }
});

async function limitWork(page, home, model) {
  const at = (id) => page.getByTestId(id);
  const dir = join(home, "mine");
  mkdirSync(join(dir, "out"), { recursive: true });
  await addProvider(page, model);

  await page.keyboard.press("Control+Shift+KeyG");
  await at("new-goal").waitFor();
  await at("check-command").fill("test -f out/done.txt");
  await at("field-objective").fill("create out/done.txt");
  await at("field-dir").fill(dir);
  await at("say-risk").click();
  await at("field-work").fill("missing");
  await at("start-goal").click();
  await at("error-work").getByText("missing does not exist").waitFor();
  await at("field-work").fill("out/*.txt");
  await at("work-rounded").getByText("out/*.txt means all of out/").waitFor();
  await at("work-words").getByText("only out/ can be changed").waitFor();
  await page.keyboard.press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });
  await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
  await at("goal-header").getByText("may change only out/").waitFor();
  await at("receipt-open").click();
  await at("receipt-dialog").getByText("only out/", { exact: true }).waitFor();
  assert.ok(existsSync(join(dir, "out", "done.txt")));
  assert.ok(!existsSync(join(dir, "done.txt")), "a file outside of what may be changed was written");
  const requests = model.asked
    .at(-1)
    .messages.map((m) => JSON.stringify(m))
    .join("\n");
  assert.match(requests, /only out\/ may be changed \(--work\); ask the user to extend it/);
}
