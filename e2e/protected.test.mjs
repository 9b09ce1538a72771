// What decides about a goal is the user's: a changed judge is shown with its diff, accepted or put back; a judge that
// the user repaired counts only after the user has reviewed it; what a done goal proves is said in the same words
// everywhere; and before the start a tried check shows what decides, and proposes what the agent may change.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { complaints, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { leaveWindow, startDesktop } from "./lib/notifications.mjs";

const goalctl = fileURLToPath(new URL("../bin/goalctl", import.meta.url));

const run = (command) => ({ tool: "run_command", args: { command } });
const write = (path, content) => ({
  tool: "write_file",
  args: { path, content },
});
const claim = {
  tool: "claim_complete",
  args: { rationale: "it is as it should be" },
};
const question = {
  tool: "ask_user",
  args: { question: "check.mjs expects 4 of 1 + 2. Is that right?" },
};
const swap = run("mv tests away && mkdir tests && echo 'test -f done.txt' >tests/check.sh && touch done.txt");

test("changed judges are accepted, put back, or repaired by the user", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    ...[swap, claim, claim], // the change is accepted
    ...[swap, claim, run("echo blue >done.txt"), claim], // the change is reverted
    ...[write("work.mjs", "export const sum = (a, b) => a + b;\n"), question, claim], // the user repairs it
  ]);
  const desktop = await startDesktop();
  try {
    await withApp(t, (app) => decide(app, model, desktop), desktop.env);
  } finally {
    desktop.close();
    model.close();
  }
});

async function decide({ page, home, said }, model, desktop) {
  const at = (id) => page.getByTestId(id);
  const card = (goal, exit) => at("goal-card").and(page.locator(`[data-goal="${goal}"][data-exit="${exit}"]`));
  const change = (path) => at("protected-change").and(page.locator(`[data-path="${path}"]`));
  const folder = (name, file, text) => {
    const dir = join(home, name);
    mkdirSync(join(dir, "tests"), { recursive: true });
    writeFileSync(join(dir, file), text);
    return dir;
  };
  const receipt = async () => {
    await at("receipt-open").click();
    await page.locator('[data-testid="receipt-recheck"]:enabled').waitFor(); // the receipt has been loaded
    const text = await at("receipt-dialog").innerText();
    await page.keyboard.press("Escape");
    await at("receipt-dialog").waitFor({ state: "detached" });
    return text;
  };
  const old = "grep -q blue done.txt\n";
  await addProvider(page, model);
  await leaveWindow(page); // notifications are about goals that the user does not look at

  // The agent's change of the judge is shown with its diff. Accepted, it decides from now on.
  let dir = folder("ada", "tests/check.sh", old);
  const accepted = await startGoal(page, {
    objective: "paint it",
    dir,
    command: "sh tests/check.sh",
  });
  await card(accepted, "needs_user").click();
  const shown = await change("tests/check.sh").innerText();
  assert.match(shown, /-grep -q blue done\.txt/);
  assert.match(shown, /\+test -f done\.txt/);
  const asked = model.asked.length;
  await at("change-reason").getByText("The old check was wrong.").waitFor();
  await at("change-keep").getByText("Keep the change").waitFor();
  assert.equal(model.asked.length, asked, "a model was asked while the goal waited for the user");
  await at("change-keep").click();
  await card(accepted, "done").waitFor();
  assert.equal(readFileSync(join(dir, "tests/check.sh"), "utf8"), "test -f done.txt\n");
  assert.match(
    await receipt(),
    /Protected files\s+.*the user accepted the changes.*tests\/check\.sh \(sha256 [0-9a-f]+\)/,
  );

  // If the user restores the old judge, that one decides, and the agent has to do the work.
  dir = folder("ben", "tests/check.sh", old);
  const restored = await startGoal(page, {
    objective: "paint it, too",
    dir,
    command: "sh tests/check.sh",
  });
  await card(restored, "needs_user").click();
  await change("tests/check.sh").waitFor();
  await at("change-put-back").click();
  await card(restored, "done").waitFor();
  assert.equal(readFileSync(join(dir, "tests/check.sh"), "utf8"), old);
  assert.equal(readFileSync(join(dir, "done.txt"), "utf8"), "blue\n");
  assert.match(await receipt(), /protected files were restored: tests\/check\.sh/);
  assert.match(
    JSON.stringify(model.asked.at(-1).messages),
    /tests\/check\.sh/,
    "the agent did not learn what was restored",
  );

  // The user repairs a wrong judge while the goal waits. The answer to the question does not accept the repair, but
  // nothing undoes it either.
  const judge = (sum) => `import { sum } from "./work.mjs";\nif (sum(1, 2) !== ${sum}) throw new Error("wrong");\n`;
  dir = folder("eve", "check.mjs", judge(4));
  const repaired = await startGoal(page, {
    objective: "add numbers",
    dir,
    command: "node check.mjs",
  });
  await card(repaired, "needs_user").click();
  await at("goal-header").getByText("The agent asks: check.mjs expects 4").waitFor();
  writeFileSync(join(dir, "check.mjs"), judge(3));
  await at("answer-text").fill("No, I corrected it");
  await at("answer-send").click();
  const own = await change("check.mjs").innerText();
  assert.match(own, /-if \(sum\(1, 2\) !== 4\)/);
  assert.match(own, /\+if \(sum\(1, 2\) !== 3\)/);
  assert.equal(readFileSync(join(dir, "check.mjs"), "utf8"), judge(3));
  await at("change-keep").click();
  await card(repaired, "done").waitFor();
  assert.equal(readFileSync(join(dir, "check.mjs"), "utf8"), judge(3));
  const requests = JSON.stringify(model.asked.at(-1).messages);
  assert.match(requests, /No, I corrected it/, "the agent did not get the answer");
  assert.doesNotMatch(requests, /put these protected files back/, "the agent got a false statement");

  // The agent's code ran inside the judge's process. The card, the dashboard, the receipt, the report and the
  // notification say so in the same words.
  const proof = card(repaired, "done").getByTestId("card-assurance");
  assert.equal(await proof.getAttribute("data-level"), "weakened");
  const words = "Passed, look at this";
  assert.ok((await proof.innerText()).startsWith(`${words}: `));
  await at("goal-assurance").getByText(words, { exact: true }).waitFor();
  const why = await at("goal-header").getByTestId("goal-assurance-reason").innerText();
  assert.match(why, /check\.mjs/, "the dashboard does not say why it is not more");
  const proven = await receipt();
  assert.ok(proven.includes(words) && proven.includes(why), `the receipt does not say "${words}: ${why}":\n${proven}`);
  const env = { ...process.env, HOME: home, GOALPOST_HOME: home };
  const { stdout: report } = await promisify(execFile)(goalctl, ["report", repaired], { env });
  assert.ok(report.includes(words), `the report does not say "${words}":\n${report}`);
  assert.ok(report.includes(why), `the report does not say "${why}":\n${report}`);
  const notice = await desktop.notification((n) => n.title === "A goal is done" && n.text.includes("add numbers"));
  assert.ok(notice.text.includes(words), `the notification does not say "${words}": ${notice.text}`);
  await accept(page, repaired);
  const needs = desktop.shown.filter((n) => n.title === "A goal needs you").map((n) => n.text);
  assert.equal(needs.length, 3, `each goal needed the user once:\n${needs.join("\n")}`);
  assert.deepEqual(complaints(said), [], "the page reported errors");
}

/** Reads why the pass is doubted, runs the check again, and accepts the pass. */
async function accept(page, goal) {
  const at = (id) => page.getByTestId(id);
  await at("story-checks").click();
  await at("why").getByText("What to look at").waitFor(); // the doubted check is open
  await at("why").getByText("check.mjs", { exact: true }).first().waitFor();
  await page.keyboard.press("KeyW");
  await at("why").waitFor({ state: "detached" });
  await page.keyboard.press("KeyW");
  await at("why-again").click();
  await at("why").getByRole("status").getByText(/./).waitFor();
  await at("decide-accept").click();
  await at("goal-assurance").getByText("Accepted by you", { exact: true }).waitFor();
  await at("decide-accept").waitFor({ state: "detached" });
  await page.locator(`[data-testid="goal-card"][data-goal="${goal}"]`).getByText("Accepted by you").waitFor();
}

test(
  "a tried check proposes what the agent may change, and a refusal names it",
  { timeout: limit(300_000) },
  async (t) => {
    const model = await startModel([
      write("check.mjs", "// nothing\n"),
      write("src/work.mjs", "export const sum = (a, b) => a + b;\n"),
      claim,
    ]);
    try {
      await withApp(t, ({ page, home, said }) => limitWork(page, home, model, said));
    } finally {
      model.close();
    }
  },
);

async function limitWork(page, home, model, said) {
  const at = (id) => page.getByTestId(id);
  const dir = join(home, "mine");
  mkdirSync(join(dir, "src"), { recursive: true });
  const judge = 'import { sum } from "./src/work.mjs";\nif (sum(1, 2) !== 3) throw new Error("wrong sum");\n';
  writeFileSync(join(dir, "check.mjs"), judge);
  writeFileSync(join(dir, "src/work.mjs"), 'export { sum } from "./later.mjs";\n');
  await addProvider(page, model);
  await page.keyboard.press("Control+Shift+KeyG");
  await at("new-goal").waitFor();
  await at("check-command").fill("node nosuch.mjs");
  await at("field-objective").fill("add numbers");
  await at("field-dir").fill(dir);

  // A check that cannot run shows the message of its program.
  await at("check-try").click();
  await at("try-result").and(page.locator('[data-outcome="cannot_run"]')).waitFor();
  assert.match(await at("try-output").innerText(), /Cannot find module/);

  // A check that fails shows its output, where it ended, and the three lists of files.
  await at("check-command").fill("node check.mjs");
  await at("check-try").click();
  await at("try-result").and(page.locator('[data-outcome="fails_now"]')).waitFor();
  assert.match(await at("trace-stopped").innerText(), /ended early: src\/later\.mjs is missing/);
  assert.match(await at("trace-decides").innerText(), /^Decides, and is protected: 1 file\ncheck\.mjs/);
  await at("trace-missing-open").click();
  await at("trace-missing").getByText("src/later.mjs").waitFor();
  await at("trace-read-open").click();
  await at("trace-read").getByText("src/work.mjs").waitFor();

  // One click limits what the agent may change, and a refused call names the limit.
  await at("trace-work-take").click();
  await at("say-risk").click();
  assert.equal(await at("field-work").inputValue(), "src/");
  await at("work-words").getByText("only src/ can be changed").waitFor();
  await page.keyboard.press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });
  await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
  await at("step-log").getByText("only src/ may be changed (--work)").first().waitFor();
  assert.match(
    JSON.stringify(model.asked[1].messages),
    /only src\/ may be changed \(--work\); ask the user to extend it/,
  );
  assert.equal(readFileSync(join(dir, "check.mjs"), "utf8"), judge);
  assert.ok(existsSync(join(dir, "src/work.mjs")));
  assert.deepEqual(complaints(said), [], "the page reported errors");
}
