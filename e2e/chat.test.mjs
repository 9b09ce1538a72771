// A question about a failing command becomes a goal that ends verified, and is asked about. On the way, what the user
// taught is used: a persona, a skill, a template and a note about the folder.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSettings, withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const said = (body) => body.messages.map((m) => JSON.stringify(m)).join("\n");

test("from a question to a verified goal, and back to a question", { timeout: limit(300_000) }, async (t) => {
  const proposal = { objective: "Fix the cart: cart.txt exists", risk: "write_local", why: "The command needs it." };
  const model = await startModel(
    [
      { text: "The command fails because **cart.txt** is missing." },
      { tool: "load_skill", args: { name: "carts" } },
      { tool: "remember", args: { text: "Carts are kept in cart.txt." } },
      { tool: "run_command", args: { command: "echo apples > cart.txt" } },
      { tool: "claim_complete", args: { rationale: "cart.txt exists" } },
      { text: "The goal made cart.txt." },
      { tool: "run_command", args: { command: "touch basket.txt" } },
      { tool: "claim_complete", args: { rationale: "basket.txt exists" } },
    ],
    { proposal },
  );
  try {
    await withApp(t, ({ page, home }) => journey(page, home, model));
  } finally {
    model.close();
  }
});

const it = (name, run) =>
  run().catch((error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });

async function journey(page, home, model) {
  const at = (id) => page.getByTestId(id);
  const dir = join(home, "shop");
  mkdirSync(dir);
  mkdirSync(join(home, ".claude", "skills", "carts"), { recursive: true });
  writeFileSync(
    join(home, ".claude", "skills", "carts", "SKILL.md"),
    "---\nname: carts\ndescription: How carts are stored.\n---\nA cart is an empty file until it is filled.\n",
  );
  await addProvider(page, model);

  await it("a question is answered with the terminal attached", async () => {
    await at("new-terminal").click();
    const terminal = at("terminal").first();
    await terminal.locator(".xterm-screen").click();
    await page.keyboard.type("cd shop && cat cart.txt\n");
    await terminal.locator(".prompt-failed").waitFor({ state: "attached" });
    await page.keyboard.press("Control+Shift+KeyA");
    await at("chat-field").waitFor();
    await at("chat-attach").click();
    await page.locator('[data-testid^="menu-attach-pane-"]').first().click();
    await at("chat-draft-chip").waitFor();
    await at("chat-field").fill("Why does this fail?");
    await at("chat-send").click();
    await at("chat-message").getByText("is missing").waitFor();
    assert.match(said(model.asked[0]), /cat cart.txt/, "the model did not get the terminal");
    assert.match(said(model.asked[0]), /No such file/);
    const tools = model.asked[0].tools.map((tool) => tool.function.name);
    assert.ok(!tools.some((name) => /write|run|edit|click/.test(name)), `a chat has ${tools}`);
  });

  await it("it becomes a goal, with the persona that its words name", async () => {
    await at("chat-message").last().hover();
    await at("chat-to-goal").click();
    await at("chat-goal-objective").waitFor();
    await at("chat-goal-check").first().and(page.locator('[data-outcome="fails_now"]')).waitFor();
    await at("chat-goal-edit").click();
    await at("new-goal").waitFor();
    await at("field-dir").fill(dir);
    await at("allowed-words").getByText("works as engineer").waitFor();
    await at("allowed-words").getByText("at most 60 min").waitFor();
    await page.keyboard.press("Control+Enter");
    await at("new-goal").waitFor({ state: "detached" });
    await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
    assert.ok(existsSync(join(dir, "cart.txt")));
    const [first, second] = model.asked.slice(1);
    assert.match(said(first), /Why does this fail\?/, "the goal did not get the conversation");
    assert.match(said(first), /How carts are stored/);
    assert.doesNotMatch(said(first), /empty file until it is filled/, "the skill was loaded without need");
    assert.match(said(second), /empty file until it is filled/);
  });

  await it("the goal is asked about", async () => {
    await at("next-ask").click();
    await at("chat-field").fill("What did you do?");
    await at("chat-send").click();
    await at("chat-message").getByText("The goal made").waitFor();
    assert.match(said(model.asked[5]), /echo apples/, "the model did not get the goal's steps");
    await at("chat-close").click();
  });

  await it("the note that it left is edited", async () => {
    await openSettings(page, "library");
    await at("memory-note").getByText("Carts are kept in cart.txt.").waitFor();
    await at("note-edit").click();
    await at("note-text").fill("Baskets are kept in basket.txt.");
    await at("note-save").click();
    await at("memory-note").getByText("Baskets are kept").waitFor();
    await at("settings-close").click();
  });

  await it("a template with a parameter starts the next goal, which reads the note", async () => {
    if (!(await at("dashboard").isVisible())) await at("rail-goals").click();
    await at("dashboard-new-goal").click();
    await at("field-dir").fill(dir);
    await at("templates").click();
    await at("menu-template-file-written").click();
    await at("parameter-file").fill("basket.txt");
    await at("parameter-subject").fill("nothing yet");
    await page.keyboard.press("Enter");
    await at("template-fields").waitFor({ state: "detached" });
    assert.equal(await at("field-objective").inputValue(), "Write nothing yet into basket.txt");
    await page.keyboard.press("Control+Enter");
    await at("new-goal").waitFor({ state: "detached" });
    await at("goal-header").getByText("Write nothing yet into basket.txt").first().waitFor();
    await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
    assert.ok(existsSync(join(dir, "basket.txt")));
    assert.match(said(model.asked[6]), /Baskets are kept in basket.txt/, "the goal did not get the note");
    assert.doesNotMatch(said(model.asked[6]), /Carts are kept/);
  });
}
