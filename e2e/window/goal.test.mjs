// The first hour in the real window, with the real pointer and keyboard: a model is connected with a key, a goal asks
// for an approval and asks a question, its transcript is read, and its changes are reviewed, undone and redone.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { filesWith } from "../lib/files.mjs";
import { limit } from "../lib/limits.mjs";
import { startModel } from "../lib/model.mjs";
import { hashOfGit, makeRepository } from "../lib/repository.mjs";
import { until, withWindow } from "./window.mjs";

const key = "sk-window-0123456789abcdefgh";
const command = (line) => ({ tool: "run_command", args: { command: line } });

const write = (path) => ({ tool: "write_file", args: { path, content: "a note\n" } });

const focused = () => document.activeElement?.getAttribute("data-testid") ?? "";
const typed = () => document.activeElement?.value ?? "";
const textOf = (selector) =>
  [...document.querySelectorAll(selector)].map((e) => e.innerText ?? e.textContent).join("\n");
const reveal = (id) => document.querySelector(`[data-testid="${id}"]`)?.scrollIntoView({ block: "center" });

/** The actions of a user in the window, by the test ids of the elements. */
function user(w) {
  const shows = (selector, words) =>
    until(`${words} in ${selector}`, async () => {
      const text = await w.page(textOf, selector);
      return words.test(text) ? text : "";
    });
  const click = async (id) => {
    await w.sees(id);
    // A request ignores clicks in its first half second.
    await until(`${id} enabled`, () => w.page((id) => !document.querySelector(`[data-testid="${id}"]`)?.disabled, id));
    await w.page(reveal, id);
    await w.click(id);
  };
  const enter = async (id, text) => {
    await click(id);
    await until(`the cursor in ${id}`, async () => (await w.page(focused)) === id);
    await w.key("ctrl+a");
    await w.type(text);
    await until(`"${text}" in ${id}`, async () => (await w.page(typed)) === text);
  };
  /** Clicks one of several elements that have the same test id. */
  const clickOn = async (selector, id) => {
    await until(selector, () =>
      w.page(
        (selector, id) => {
          for (const e of document.querySelectorAll(`[data-testid="${id}"]`)) e.removeAttribute("data-testid");
          const found = document.querySelector(selector);
          found?.setAttribute("data-testid", id);
          return Boolean(found);
        },
        selector,
        id,
      ),
    );
    await click(id);
  };
  return { shows, click, clickOn, enter };
}

test("connect, approve, answer, read and undo in the real window", { timeout: limit(600_000) }, async () => {
  const model = await startModel(
    [
      write("one.txt"),
      write("two.txt"),
      { tool: "ask_user", args: { question: "Which colour is the door?" } },
      (request) => ({
        text: /green as grass/.test(JSON.stringify(request.messages)) ? "Green it is." : "No answer came.",
        tool: "claim_complete",
        args: { rationale: "the notes are there" },
      }),
      command('sed -i "s/red/blue/" colour.js'),
      command("rm -r lib"),
      command("git checkout -q next"),
      command("make"),
      { tool: "claim_complete", args: { rationale: "it is built", result: "The colour is **blue** now." } },
    ],
    { key },
  );
  try {
    // No locale, as in a small container: WebKit calls the language of the page "C" then.
    await withWindow((w) => walk(w, model), { env: { LC_ALL: "C" } });
  } finally {
    model.close();
  }
});

async function walk(w, model) {
  const { shows, click, clickOn, enter } = user(w);
  const dir = join(w.home, "work");
  const read = (name) => readFileSync(join(dir, name), "utf8");
  mkdirSync(dir);
  makeRepository(dir);

  // A wrong key is named at its field; the right one connects.
  await click("preset-custom");
  await enter("connect-address", model.url);
  await enter("connect-key", "sk-wrong-0123456789abcdef");
  await w.key("Return");
  await shows('[data-testid="connect-status"][data-state="bad"]', /rejected this key/);
  await enter("connect-key", key);
  await w.key("Return");
  await shows('[data-testid="connect-status"][data-state="ok"]', /\S/);
  await until("a chosen model", () =>
    w.page(() => document.querySelector('[data-testid="connect-model"][data-chosen="true"]') !== null),
  );
  await click("connect-save");

  const describe = async (objective, check) => {
    await w.sees("new-goal");
    await enter("check-command", check);
    await enter("field-objective", objective);
    await enter("field-dir", dir);
  };
  const ended = () =>
    until("the end of the goal", () =>
      w.page(() => document.querySelector('[data-testid="goal-header"]')?.dataset.status === "completed"),
    );
  await describe("Write two notes", "test -s two.txt");
  await click("say-risk");
  await click("risk-read_only");
  await w.key("ctrl+Return");
  await w.misses("new-goal");

  // The drawer beside the workspace has the request with its buttons. The counters in the rail and in the title
  // include it.
  await click("rail-workspace");
  await click("goal-tab");
  const ask = '[data-testid="goal-drawer"] [data-testid="ask"]';
  await shows(ask, /Needs you: Write one\.txt/);
  await until("the title to count it", () => w.page(() => document.title === "(1) Goalpost"));
  assert.ok(!existsSync(join(dir, "one.txt")), "the call ran before it was allowed");
  await click("ask-once");
  await shows(ask, /Needs you: Write two\.txt/);
  assert.equal(read("one.txt"), "a note\n");
  await click("ask-goal");

  // A question is not skipped by accident, and its answer reaches the model.
  await shows('[data-testid="answer"]', /The agent asks: Which colour is the door\?/);
  await click("answer-send");
  await shows('[data-testid="answer-missing"]', /waits for an answer/);
  await enter("answer-text", "green as grass");
  await click("answer-send");
  await until("the end of the goal", () =>
    w.page(() => document.querySelector('[data-testid="goal-drawer"]')?.dataset.status === "completed"),
  );

  // Its transcript has the words and the calls, and is searched.
  await click("drawer-open");
  await click("story-transcript");
  await enter("transcript-search", "green it");
  await shows('[data-testid="transcript-entry"][data-kind="agent"]', /Green it is\./);
  await enter("transcript-search", "two.txt");
  await shows('[data-testid="transcript-total"]', /match/);
  await shows('[data-testid="transcript-entry"] mark', /two\.txt/);

  // Another goal changes the folder with shell commands. Its result is at the top.
  await click("dashboard-new-goal");
  await describe("Paint the door", "test -s build/program");
  await w.key("ctrl+Return");
  await w.misses("new-goal");
  await shows('[data-testid="goal-header"]', /Paint the door/);
  await ended();
  await shows('[data-testid="goal-header"] [data-testid="goal-result"] strong', /^blue$/);

  // The review shows what the shell did, as a diff with colours.
  await click("story-changes");
  await w.sees("changes-file");
  const changed = () =>
    [...document.querySelectorAll("[data-change]")].map((f) => `${f.dataset.change} ${f.dataset.path}`);
  assert.deepEqual(await w.page(changed), [
    "new build/program",
    "changed colour.js",
    "deleted lib/old.sh",
    "changed version.txt",
  ]);
  await clickOn('[data-change][data-path="colour.js"]', "chosen-file");
  await shows('[data-testid="diff-line"][data-kind="add"]', /blue/);
  await w.picture("goal-changes");

  // All changes are undone, except in files that the user edited since. Then the undo is undone.
  const git = hashOfGit(dir);
  writeFileSync(join(dir, "colour.js"), "by the user\n");
  await click("undo-all");
  await shows('[data-testid="undo-conflicts"]', /colour\.js/);
  await click("undo-confirm");
  await w.misses("undo-dialog");
  await until("the old folder", () => existsSync(join(dir, "lib", "old.sh")));
  assert.equal(read("colour.js"), "by the user\n");
  assert.equal(read("version.txt"), "1\n");
  assert.ok(!existsSync(join(dir, "build", "program")));
  await click("redo");
  await click("undo-confirm");
  await w.misses("undo-dialog");
  await until("the program again", () => existsSync(join(dir, "build", "program")));
  assert.ok(!existsSync(join(dir, "lib")));
  assert.equal(read("colour.js"), "by the user\n");
  assert.equal(hashOfGit(dir), git);

  assert.deepEqual(filesWith(key, w.home), []);
}
