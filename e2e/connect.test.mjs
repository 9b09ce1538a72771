// A newcomer connects a model with a pasted key and gets a first goal verified; the error names a wrong key, and no
// readable file contains a key.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSettings, withApp } from "./lib/app.mjs";
import { filesWith } from "./lib/files.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const key = "sk-e2e-0123456789abcdefghij";
const mostActions = 12;

/** Pastes as a user does, and replaces the content of the field. */
function paste(page, field, text) {
  return page.getByTestId(field).evaluate((input, pasted) => {
    const data = new DataTransfer();
    data.setData("text", pasted);
    input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
}

test("from the first start to the first verified goal with a pasted key", { timeout: limit(300_000) }, async (t) => {
  const model = await startModel(
    [
      { text: "I make the file.", tool: "run_command", args: { command: "touch done.txt" } },
      { text: "Now it is there.", tool: "claim_complete", args: { rationale: "done.txt exists" } },
    ],
    { key },
  );
  try {
    await withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const actions = [];
      const act = async (words, doing) => {
        actions.push(words);
        await doing;
      };
      await at("welcome").waitFor();
      await act("choose the custom endpoint", at("preset-custom").click());
      await act("enter the address", at("connect-address").fill(model.url.replace("http://", "")));
      await act("paste the key, which tests it", paste(page, "connect-key", key));
      await at("connect-status").and(page.locator('[data-state="ok"]')).waitFor();
      await at("connect-advanced").click(); // what is assumed is beside the fields that change it
      await at("connect-notes").getByText("spending limits have no effect").waitFor();
      await at("connect-model").and(page.locator('[data-id="played"][data-chosen="true"]')).waitFor();
      await act("save and use it", at("connect-save").click());
      await act("enter the check", at("check-command").fill("test -f done.txt"));
      await act("describe the goal", at("field-objective").fill("create done.txt"));
      await act("start the goal", page.keyboard.press("Control+Enter"));
      await at("new-goal").waitFor({ state: "detached" });
      await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
      await at("step-log").getByTestId("verdict").and(page.locator('[data-outcome="pass"]')).waitFor();
      t.diagnostic(
        `${actions.length} actions to the first verified goal (at most ${mostActions}): ${actions.join("; ")}`,
      );
      assert.ok(actions.length <= mostActions, `${actions.length} actions`);
      assert.equal(model.asked.length, 2);

      await openSettings(page, "models");
      await at("providers").locator('[data-id="custom"][data-ready="true"]').waitFor();
      assert.deepEqual(filesWith(key, home), []);
      assert.ok(!said.join("\n").includes(key), "the console shows the key");
    });
  } finally {
    model.close();
  }
});

test(
  "a wrong key and a server that is off are named, and nothing is stored",
  { timeout: limit(120_000) },
  async (t) => {
    const model = await startModel([{ text: "never asked" }], { key });
    try {
      await withApp(t, async ({ page, home }) => {
        const at = (id) => page.getByTestId(id);
        await at("preset-custom").click();
        await at("connect-address").fill(model.url);
        await paste(page, "connect-key", "sk-wrong-0123456789abcdef");
        const status = at("connect-status");
        await status.and(page.locator('[data-state="bad"][data-step="key"]')).waitFor();
        await status.getByText("rejected this key").waitFor();
        await at("connect-response").click();
        await status.getByText("Incorrect API key provided").waitFor();
        assert.ok(await at("connect-save").isDisabled());
        await at("connect-address").fill("http://127.0.0.1:1/v1");
        await at("connect-test").click();
        await status.and(page.locator('[data-step="reach"]')).waitFor();
        await status.getByText(/Could not reach 127\.0\.0\.1:\d+\./).waitFor();
        await page.keyboard.press("Escape");
        await at("connect-dialog").waitFor({ state: "detached" });
        const stored = readdirSync(join(home, "state"));
        assert.ok(!stored.includes("secrets.json"), stored.join(" "));
      });
    } finally {
      model.close();
    }
  },
);
