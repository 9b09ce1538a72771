// A user takes a page over while an agent uses it, types something that must not be stored, and hands the page back.
// The goal pauses, and then continues to its end.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { withApp } from "./lib/app.mjs";
import { addProvider } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { Pane } from "./lib/pane.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const secret = "hunter2-for-nobody";
const address = "http://127.0.0.1:8080/keys.html";

/** Returns the pane that the last result names. */
const paneOf = (body, letter) => {
  const results = body.messages.filter((m) => m.role === "tool").map((m) => JSON.stringify(m.content));
  const named = results.flatMap((r) => [...r.matchAll(new RegExp(`pane (${letter}\\d+)`, "g"))].map((m) => m[1]));
  return named.at(-1) ?? "unknown";
};

test("a user takes a goal's page over and hands it back", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel([
    { tool: "terminal_open", args: { title: "server" } },
    (body) => ({
      tool: "terminal_run",
      args: {
        pane: paneOf(body, "t"),
        command: `'${join(root, "bin/goalctl")}' static --listen 127.0.0.1:8080 .`,
        wait_seconds: 1,
      },
    }),
    (body) => ({ tool: "terminal_wait", args: { pane: paneOf(body, "t"), for: "pattern", pattern: "Serving" } }),
    { tool: "browser_open", args: { url: address } },
    (body) => ({ tool: "browser_wait", args: { pane: paneOf(body, "b"), text: "never said by it", seconds: 110 } }),
    (body) => ({ text: "I look again.", tool: "browser_snapshot", args: { pane: paneOf(body, "b") } }),
    { tool: "run_command", args: { command: "touch done.txt" } },
    { tool: "claim_complete", args: { rationale: "done.txt exists" } },
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
  for (const name of ["keys.html", "say.js"]) {
    copyFileSync(join(root, "backend/panes/browser/fixtures", name), join(dir, name));
  }
  await addProvider(page, model);

  await page.keyboard.press("Control+Shift+KeyG");
  await at("new-goal").waitFor();
  await at("check-command").fill("test -f done.txt");
  await at("field-objective").fill("look at the page, then create done.txt");
  await at("field-dir").fill(dir);
  await page.keyboard.press("Control+Enter");
  await at("new-goal").waitFor({ state: "detached" });
  await at("dashboard").waitFor();
  await at("rail-workspace").click();

  // The agent waits on its page.
  const pane = new Pane(page, page.getByTestId("browser").first());
  await pane.root.waitFor();
  await pane.root.locator('[data-testid="driver"][data-driver="agent"]').waitFor();
  await pane.root.getByTestId("agent-pointer").getByText("waits").waitFor();
  assert.equal(model.asked.length, 5);
  await pane.click(60, 34); // the page gets no clicks of the user while the agent drives
  await pane.root.locator('[data-testid="driver"][data-driver="agent"]').waitFor();

  // The user drives the page: the goal pauses, and nothing that the user does is stored.
  await at("take-over").click();
  await pane.root.locator('[data-testid="driver"][data-driver="user"]').waitFor();
  await pane.click(60, 34);
  await pane.says("focus a");
  await pane.type(secret);
  await pane.says(`a=${secret}`);
  await pane.press("Control+A");
  await pane.press("Backspace");
  await pane.says("a=");
  assert.equal(model.asked.length, 5, "the model was asked while a user had the page");
  assert.equal(model.criticised.length, 0, "the critic was asked while a user had the page");
  await at("goal-drawer").getByText("Paused", { exact: true }).first().waitFor();

  await at("hand-back").click();
  await at("goal-drawer").getByText("Done", { exact: true }).first().waitFor();

  // The goal is done: the agent no longer drives the page, and the user's keys reach it.
  await pane.at("driver").waitFor({ state: "detached" });
  await pane.click(60, 34);
  await pane.type("after");
  await pane.says("a=after");
  await at("rail-goals").click();
  await at("goal-card").click();
  await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
  assert.equal(await at("dashboard").getByText("the kernel refused").count(), 0, "the host's own helper was refused");
  assert.ok(existsSync(join(dir, "done.txt")));

  const requests = JSON.stringify(model.asked);
  assert.match(requests, /taken this pane over/, "the wait did not end with the reason");
  assert.match(requests, /handed it back/, "the model was not asked to look again");
  assert.ok(!requests.includes(secret), "the model received what the user typed");
  for (const file of files(home)) {
    assert.ok(!readFileSync(file).includes(secret), `${file} keeps what the user typed`);
  }
}

/** Returns the files that the program stores, without Chromium's own, which are deleted when it ends. */
const files = (folder) =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((f) => f.isFile() && !/\/(browser|profiles)(\/|$)/.test(join(f.parentPath, f.name).slice(folder.length)))
    .map((f) => join(f.parentPath, f.name));
