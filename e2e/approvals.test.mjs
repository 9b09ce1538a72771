// Requests that wait for the user are shown with everything that the calls would do. They are answered for two goals
// at once, allowed for a file, revoked, and denied on the command line while the window shows them. They disappear
// with their goal. If no user is there, the goal pauses.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { complaints, openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const goalctl = fileURLToPath(new URL("../bin/goalctl", import.meta.url));

/** A barrier that is closed until it is opened. */
function gate() {
  let open;
  const opened = new Promise((done) => (open = done));
  return { open, opened };
}

test("approvals in the window, and on the command line at the same time", { timeout: limit(300_000) }, async (t) => {
  const again = gate();
  const write = (content) => ({ tool: "write_file", args: { path: "note.txt", content } });
  // Each goal writes its note twice and then claims, whatever the user answers.
  const model = await startModel([
    async (body) => {
      const calls = body.messages.filter((m) => m.role === "tool").length;
      if (calls === 0) return write("one\n");
      if (calls > 1) return { tool: "claim_complete", args: { rationale: "the note is there" } };
      await again.opened;
      return write("one\ntwo\n");
    },
  ]);
  try {
    await withApp(t, ({ page, home, said }) => walk(page, home, model, again, said));
  } finally {
    again.open();
    model.close();
  }
});

async function walk(page, home, model, again, said) {
  const at = (id) => page.getByTestId(id);
  const header = at("goal-header");
  const request = (goal) => at("approval").and(page.locator(`[data-goal="${goal}"]`));
  const card = (goal, exit) => at("goal-card").and(page.locator(`[data-goal="${goal}"][data-exit="${exit}"]`));
  const make = async (name) => {
    mkdirSync(join(home, name));
    const command = "test -s note.txt";
    return startGoal(page, {
      objective: `write the note of ${name}`,
      dir: join(home, name),
      command,
      risk: "read_only",
    });
  };
  await addProvider(page, model);

  // Two goals want to write: each shows its request beside its steps, and both requests wait in one queue.
  const ada = await make("ada");
  const ben = await make("ben");
  await header.getByTestId("ask").getByText("note.txt").first().waitFor();
  await at("status-needs-you").getByText("2", { exact: true }).waitFor();
  await header.getByTestId("asks-open").click();
  await at("approvals").getByText("2 need you").waitFor();
  const first = request(ada);
  assert.equal(await first.getByTestId("approval-arguments").innerText(), "path\nnote.txt\ncontent\none\n");
  assert.match(await first.getByTestId("approval-show").innerText(), /^\+\+\+ note\.txt\n\+one/);
  assert.match(await first.getByTestId("approval-why").innerText(), /needs to change files; this goal may only read/);

  // One answer is for both requests, and for this file until the goals end.
  await first.locator('[data-testid="approval-scope"][data-scope="path"]').check();
  await first.getByTestId("approval-all").check();
  await first.getByTestId("approval-allow").click();
  await at("approvals-empty").waitFor();
  const grants = at("grants").getByTestId("grant");
  await grants.nth(1).waitFor();

  // The grant of ada is revoked: only ada asks again.
  await grants.filter({ hasText: "note of ada" }).getByTestId("grant-revoke").click();
  await grants.filter({ hasText: "note of ada" }).waitFor({ state: "detached" });
  assert.equal(await grants.count(), 1);
  again.open();
  await request(ada).waitFor();
  assert.match(await request(ada).getByTestId("approval-show").innerText(), /one\n\+two/);
  assert.equal(await request(ben).count(), 0);

  // The request is denied on the command line, and disappears from the window that shows it.
  const name = await request(ada).getAttribute("data-request");
  const env = { ...process.env, HOME: home, GOALPOST_HOME: home };
  await promisify(execFile)(goalctl, ["deny", ada, name, "--why", "one line is enough"], { env });
  await at("approvals-empty").waitFor();

  // A grant ends with its goal.
  await at("grants").waitFor({ state: "detached" });
  await at("approvals-close").click();
  await card(ada, "done").waitFor();
  await card(ben, "done").waitFor();
  assert.equal(readFileSync(join(home, "ada", "note.txt"), "utf8"), "one\n");
  assert.equal(readFileSync(join(home, "ben", "note.txt"), "utf8"), "one\ntwo\n");
  assert.match(JSON.stringify(model.asked), /one line is enough/, "the agent did not get the reason");

  // If no user is there, the goal pauses at once, with the reason. It asks no model, and continues with the answer.
  await openSettings(page, "goals");
  await at("approval-minutes").fill("0");
  await at("approval-minutes").press("Enter");
  await savedSettings(home, (s) => s.approval_minutes === 0);
  await at("settings-close").click();
  const eve = await make("eve");
  await card(eve, "needs_user").waitFor();
  await card(eve, "needs_user").click();
  await header.getByTestId("ask").waitFor();
  const asked = model.asked.length;
  await header.getByTestId("asks-open").click();
  await request(eve).locator('[data-testid="approval-scope"][data-scope="path"]').check();
  assert.equal(model.asked.length, asked, "a model was asked while the goal waited");
  await request(eve).getByTestId("approval-allow").click();
  await card(eve, "done").waitFor();
  assert.deepEqual(complaints(said), [], "the page reported errors");
}
