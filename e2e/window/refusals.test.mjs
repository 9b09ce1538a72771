// Calls that Go refuses, in the real window: the message passes through Wails, which makes an Error of it, and is
// shown on the screen with the hint.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { limit } from "../lib/limits.mjs";
import { until, withWindow } from "./window.mjs";

const focused = () => document.activeElement?.getAttribute("data-testid") ?? "";
const typed = () => document.activeElement?.value ?? "";
const textOf = (selector) => document.querySelector(selector)?.textContent ?? "";

/** Waits until an element has a text, and returns the text. */
const words = (w, selector) => until(`words in ${selector}`, () => w.page(textOf, selector));

test("refused calls say why on the screen of the real window", { timeout: limit(600_000) }, () =>
  withWindow(async (w) => {
    const enter = async (id, text) => {
      await w.click(id);
      await until(`the cursor in ${id}`, async () => (await w.page(focused)) === id);
      await w.key("ctrl+a");
      await w.type(text);
      await until(`"${text}" in ${id}`, async () => (await w.page(typed)) === text);
    };

    await w.sees("welcome");
    await w.click("skip-welcome");
    await w.sees("workspace");

    // No model is connected, so the next step is that, and what was entered stays.
    await w.key("ctrl+shift+g");
    await w.sees("new-goal");
    await enter("check-command", "test -f never.txt");
    await enter("field-objective", "Make a file");
    await w.key("ctrl+Return");
    await w.sees("connect-choose");
    await w.key("Escape");
    await w.misses("connect-choose");
    await w.sees("new-goal");
    await w.key("Escape");
    await w.misses("new-goal");
    await w.key("Escape");
    await w.misses("dashboard");

    // This error is in a message at the edge, because the address bar shows none. Before that, the user is asked for
    // the search engine.
    await w.click("new-browser");
    await enter("browser-address", "no address at all");
    await w.key("Return");
    await w.click("search-engine-none");
    await w.click("search-save");
    await w.misses("search-choice");
    await enter("browser-address", "no address at all");
    await w.key("Return");
    assert.match(await words(w, "[data-sonner-toast] [data-title]"), /^"no address at all" is not an address/);
    assert.match(await words(w, "[data-sonner-toast] [data-description]"), /^enter an address such as localhost:8080/);
  }),
);

/** Returns every method that the page may call, with arguments of the right types that name nothing that exists. */
function methods() {
  const text = readFileSync(new URL("../../frontend/src/bridge/types.gen.ts", import.meta.url), "utf8");
  const empty = (type) => {
    if (type.endsWith("[]")) return [];
    if (text.includes(`export type ${type} =`)) return "no-such-thing";
    return { string: "no-such-thing", number: -1, boolean: true }[type] ?? {};
  };
  const all = [...text.matchAll(/^ {2}"(\w+)\.(\w+)": \(([^)]*)\) =>/gm)];
  const bound = all.filter(([, area]) => area !== "DatabaseAPI"); // bound while the database cannot be read
  return bound.map(([, area, name, parameters]) => ({
    area,
    name,
    args: parameters
      .split(/, (?=\w+: )/)
      .filter(Boolean)
      .map((p) => empty(p.split(": ")[1])),
  }));
}

/** Runs in the page: makes the calls, and returns how each was answered. */
function callAll(list) {
  window.answers = {};
  for (const { area, name, args } of list) {
    const keep = (how) => (window.answers[`${area}.${name}`] = how);
    window.go.main.Host.Call(`${area}.${name}`, JSON.stringify(args)).then(
      () => keep({ done: true }),
      (error) => keep({ message: error instanceof Error ? error.message : `not an Error: ${String(error)}` }),
    );
  }
}

// Tests refusals of Go's methods, and arguments that Wails itself cannot parse.
test("every bound method that refuses does it in words", { timeout: limit(600_000) }, (t) =>
  withWindow(async (w) => {
    await w.sees("welcome");
    const list = methods();
    assert.ok(list.length > 100, `${list.length} methods`);
    const answersTo = async (calls) => {
      await w.page(callAll, calls);
      await until(
        "an answer to each call",
        async () => (await w.page(() => Object.keys(window.answers).length)) === calls.length,
      );
      return Object.entries(await w.page(() => window.answers));
    };

    const answers = await answersTo(list);
    const refused = answers.filter(([, a]) => !a.done);
    for (const [method, answer] of refused) {
      assert.doesNotMatch(answer.message, /there is no method/);
      const problem = JSON.parse(answer.message);
      assert.ok(problem.code, `${method}: ${answer.message}`);
      assert.match(problem.message, /\w+ \w+/, `${method}: ${answer.message}`);
      assert.doesNotMatch(answer.message, /\[object|undefined/, method);
    }
    const silent = answers.filter(([, a]) => a.done).map(([method]) => method);
    t.diagnostic(`${refused.length} refused in words; without a reason to refuse: ${silent.join(" ")}`);
    assert.ok(refused.length > 60, `only ${refused.length} methods refused`);

    // A number in place of a text, or a text in place of an object, is refused before Go's method is called. The error
    // must still be readable.
    const unreadable = list.filter((m) => m.args.length > 0).map((m) => ({ ...m, args: m.args.map(() => [[{}]]) }));
    for (const [method, answer] of await answersTo(unreadable)) {
      assert.ok(answer.message, `${method} took what it cannot read`);
      assert.doesNotMatch(answer.message, /\[object/, method);
    }
  }),
);
