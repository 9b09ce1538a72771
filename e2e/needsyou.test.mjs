// What a goal needs of the user is answered where they work: in the drawer beside the workspace, in the dashboard,
// and in a narrow window. One count says how many goals wait. A question is not skipped by accident.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { leaveWindow, startDesktop } from "./lib/notifications.mjs";

const write = (path, content) => ({
  tool: "write_file",
  args: { path, content },
});
const claim = { tool: "claim_complete", args: { rationale: "it is there" } };

test(
  "requests and questions are answered in the drawer and in a narrow window",
  { timeout: limit(300_000) },
  async (t) => {
    const model = await startModel([
      write("a.txt", "one\n"),
      write("b.txt", "two\n"),
      { tool: "ask_user", args: { question: "Which colour should it have?" } },
      claim,
      write("c.txt", "three\n"),
      write("d.txt", "four\n"),
      claim,
    ]);
    try {
      await withApp(t, ({ page, home, said }) => walk(page, home, model, said));
    } finally {
      model.close();
    }
  },
);

test("a request is answered from its desktop notification", { timeout: limit(300_000) }, async (t) => {
  const open = (name) => ({ tool: "browser_open", args: { url: `http://${name}.invalid/` } });
  const model = await startModel([open("first"), open("second"), write("a.txt", "one\n"), claim]);
  const desktop = await startDesktop();
  try {
    await withApp(t, (app) => answerOutside(app, model, desktop), desktop.env);
  } finally {
    desktop.close();
    model.close();
  }
});

async function answerOutside({ page, home, said }, model, desktop) {
  await addProvider(page, model);
  await leaveWindow(page);
  const dir = join(home, "mine");
  mkdirSync(dir);
  const goal = await startGoal(page, { objective: "open two pages", dir, command: "test -s a.txt" });
  const asking = (name) => desktop.notification((n) => n.text.includes(`${name}.invalid`));
  const first = await asking("first");
  assert.equal(first.title, "A goal needs you");
  assert.match(first.text, /open two pages/);
  desktop.press(first, "Allow once");
  await desktop.notification((n) => n === first && n.isWithdrawn);

  // The next request has a notification of its own, which leaves when the user answers in the window.
  const second = await asking("second");
  assert.ok(!second.isWithdrawn);
  await page.getByTestId("goal-header").getByTestId("ask-deny").click();
  await desktop.notification((n) => n === second && n.isWithdrawn);
  await page.locator(`[data-testid="goal-card"][data-goal="${goal}"][data-exit="done"]`).waitFor();
  await desktop.notification((n) => n.title === "A goal is done");
  assert.deepEqual(complaints(said), [], "the page reported errors");
}

async function walk(page, home, model, said) {
  const at = (id) => page.getByTestId(id);
  const drawer = at("goal-drawer");
  const header = at("goal-header");
  const card = (goal, exit) => at("goal-card").and(page.locator(`[data-goal="${goal}"][data-exit="${exit}"]`));
  const titled = (title) => page.waitForFunction((t) => document.title === t, title);
  await addProvider(page, model);
  mkdirSync(join(home, "mine"));
  const dir = join(home, "mine");
  const goal = await startGoal(page, {
    objective: "write two notes",
    dir,
    command: "test -s b.txt",
    risk: "read_only",
  });

  // In the workspace, the drawer has the complete request, and every counter includes the goal.
  await at("rail-workspace").click();
  await at("goal-tab")
    .and(page.locator(`[data-goal="${goal}"]`))
    .click();
  await drawer.getByText("Needs you: Write a.txt").waitFor();
  await titled("(1) Goalpost");
  assert.equal(await at("rail-badge").innerText(), "1");
  assert.match(await at("status-needs-you").innerText(), /^1\s+needs you/);
  assert.match(await drawer.getByTestId("ask").innerText(), /\+one/);
  // The card never takes the focus on its own. The key moves the focus to it, and then its number keys answer.
  assert.equal(await drawer.getByTestId("ask").evaluate((e) => e.contains(document.activeElement)), false);
  await drawer.getByTestId("ask-once").and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("Control+Shift+KeyY");
  await drawer.getByTestId("ask").and(page.locator(":focus")).waitFor();
  await page.keyboard.press("1");
  await drawer.getByText("Needs you: Write b.txt").waitFor();
  await drawer.getByTestId("ask-goal").click();

  // A question has a field for the answer. Without an answer the goal does not continue.
  await drawer.getByTestId("answer").getByText("The agent asks: Which colour should it have?").waitFor();
  assert.equal(await drawer.getByTestId("drawer-resume").count(), 0);
  const asked = model.asked.length;
  await drawer.getByTestId("answer-send").click();
  await drawer.getByTestId("answer-missing").waitFor();
  await drawer.getByTestId("answer-skip").waitFor();
  assert.equal(model.asked.length, asked, "the goal continued without an answer");
  await drawer.getByTestId("answer-text").fill("blue, please");
  await drawer.getByTestId("answer-send").click();
  await page.locator(`[data-testid="goal-drawer"][data-status="completed"]`).waitFor();
  await titled("Goalpost");
  assert.match(JSON.stringify(model.asked.at(-1).messages), /blue, please/, "the agent did not get the answer");
  assert.equal(readFileSync(join(dir, "b.txt"), "utf8"), "two\n");

  // The card and the receipt of a done goal show what the goal proves.
  await at("rail-goals").click();
  await card(goal, "done").getByTestId("card-assurance").getByText("Verified", { exact: true }).waitFor();
  await card(goal, "done").click();
  await at("goal-assurance").getByText("Verified", { exact: true }).waitFor();
  await at("receipt-open").click();
  await at("receipt-assurance").getByText("Verified", { exact: true }).waitFor();
  await page.keyboard.press("Escape");

  // In a narrow window the request and its buttons fit, and a denial includes the user's reason.
  const other = await startGoal(page, {
    objective: "try a third note",
    dir,
    command: "test -s d.txt",
    risk: "read_only",
  });
  await header.getByText("Needs you: Write c.txt").waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  for (const id of ["ask-once", "ask-goal", "ask-deny", "asks-open"]) {
    const box = await header.getByTestId(id).boundingBox();
    assert.ok(box && box.x >= 0 && box.x + box.width <= 390, `${id} is cut: ${JSON.stringify(box)}`);
    assert.ok(box.height >= 44, `${id} is too low for a finger`);
  }
  await header.getByTestId("ask-deny-reason").click();
  await header.getByTestId("ask-reason").fill("two notes are enough");
  await header.getByTestId("ask-deny").click();
  await header.getByText("Needs you: Write d.txt").waitFor();
  await header.getByTestId("ask-once").click();
  // On a phone, the opened goal fills the page. After its end, its status, its result, what decided and
  // what to do next are on the first screen.
  await page.locator('[data-testid="goal-header"][data-status="completed"]').waitFor();
  assert.equal(await card(other, "done").isVisible(), false);
  const steps = await header.getByTestId("next-steps").boundingBox();
  assert.ok(steps && steps.y + steps.height < 780, `the next steps are at ${JSON.stringify(steps)}`);
  await header.getByTestId("check").first().waitFor();
  await at("goal-details").click();
  await at("goal-back").click();
  await card(other, "done").waitFor();
  // A link leads to a tab, and the browser's back button to the previous view.
  await card(other, "done").click();
  await at("story-changes").click();
  await at("changes").waitFor();
  assert.equal(new URL(page.url()).search, `?goal=${other}&tab=changes`);
  await page.reload();
  await at("changes").waitFor();
  await page.goBack();
  await at("step-log").waitFor();
  await page.goBack();
  await card(other, "done").waitFor();
  assert.match(JSON.stringify(model.asked.at(-1).messages), /two notes are enough/, "the agent did not get the reason");
  assert.deepEqual(complaints(said), [], "the page reported errors");
}
