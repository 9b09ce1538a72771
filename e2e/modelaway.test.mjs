// A model server that is away in the middle of a goal, as after a closed lid, and one that accepts and does not answer.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSettings, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

// Six tries in 45 s come before the goal waits.
const untilItWaits = limit(180_000);

test(
  "a goal waits for a model that is away and continues, and a silent server is named",
  { timeout: 2 * untilItWaits },
  async (t) => {
    let leave;
    const left = new Promise((resolve) => (leave = resolve));
    const model = await startModel([
      { tool: "write_file", args: { path: "done.txt", content: "x\n" } },
      async () => {
        leave();
        await new Promise(() => {}); // the connection is cut in the middle of the turn
      },
      { tool: "claim_complete", args: { rationale: "the file is there" } },
    ]);
    try {
      await withApp(t, async ({ page, home }) => {
        const at = (id) => page.getByTestId(id);
        await addProvider(page, model);
        const dir = join(home, "work");
        mkdirSync(dir);
        await startGoal(page, { objective: "write the file", dir, command: "test -s done.txt" });
        await left;
        model.close();
        await at("step-log")
          .getByText(/connection refused.*trying again in/)
          .first()
          .waitFor();
        await testSilentServer(page); // while the goal tries

        await at("rail-goals").click();
        const panel = at("answer").and(page.locator('[data-kind="parked"]'));
        await panel.getByText(/Waiting for the model since \d\d:\d\d · next try in/).waitFor({ timeout: untilItWaits });
        assert.match(await at("parked-why").innerText(), /127\.0\.0\.1:\d+/);
        await at("status-needs-you").waitFor({ state: "detached" });
        const before = await elapsed(at);
        await model.reopen();
        await at("answer-resume").click();
        await at("goal-header").getByText("Done", { exact: true }).first().waitFor();
        const after = await elapsed(at);
        assert.ok(after - before < limit(60_000) / 1000, `${before} s became ${after} s: the wait was counted`);
      });
    } finally {
      model.close();
    }
  },
);

/** Tests a server that lists its model and never answers it: the list is there at once, and the test can be ended. */
async function testSilentServer(page) {
  const at = (id) => page.getByTestId(id);
  const server = createServer((request, response) => {
    if (request.url.endsWith("/models")) response.end(JSON.stringify({ data: [{ id: "asleep" }, { id: "awake" }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await openSettings(page, "models");
    await at("provider-add").click();
    await at("preset-custom").click();
    await at("connect-address").fill(`127.0.0.1:${server.address().port}/v1`);
    await at("connect-test").click();
    await at("connect-model").and(page.locator('[data-id="awake"]')).waitFor();
    await at("connect-progress")
      .getByText(/Testing 127\.0\.0\.1:\d+\S*… \d+ s/)
      .waitFor();
    await at("connect-progress").getByText("a local server may be loading the model").waitFor();
    assert.ok(await at("connect-save").isDisabled());
    await at("connect-test").click(); // now "Cancel"
    await at("connect-progress").waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await at("connect-dialog").waitFor({ state: "detached" });
    await at("settings-close").click();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The seconds of the limit that the goal has used. */
async function elapsed(at) {
  const said = await at("limits").innerText();
  const [, minutes = 0, seconds] = /(?:(\d+) m )?(\d+) s of/.exec(said) ?? assert.fail(said);
  return Number(minutes) * 60 + Number(seconds);
}
