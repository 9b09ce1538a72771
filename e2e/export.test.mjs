// A goal becomes one HTML file with a button. Chromium opens it from the disk, without the program and without a request.
import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { openChromium } from "./lib/chromium.mjs";
import { withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";

const minute = limit(60_000);
const maxBytes = 20_000_000;
const titles = ["Result", "Checks", "Changes", "Activity", "Replay", "Receipt"];

test("an exported goal shows everything in a file of its own", { timeout: 5 * minute }, (t) =>
  withApp(t, async ({ page, home }) => {
    const at = (id) => page.getByTestId(id);
    await at("run-demo").click();
    await at("goal-drawer").waitFor();
    await at("rail-goals").click();
    await at("goal-card").first().click();
    await at("goal-header")
      .and(page.locator('[data-status="completed"]'))
      .waitFor({ timeout: 2 * minute });

    // From the menu and from the done screen comes the same.
    const fromMenu = await exported(page, home, async () => {
      await at("goal-more").click();
      await page.getByRole("menuitem", { name: "Export as HTML" }).click();
    });
    const file = await exported(page, home, () => at("next-export").click());
    assert.match(file, /goalpost-[0-9a-z]{8}\.html$/);
    assert.ok(Math.abs(statSync(file).size - statSync(fromMenu).size) < 10_000);

    for (const colorScheme of ["dark", "light"]) {
      await opened(file, { colorScheme }, async (document) => {
        const on = (id) => document.getByTestId(id);
        assert.equal(await document.locator("html").getAttribute("data-theme"), colorScheme);
        assert.deepEqual(await document.getByRole("heading", { level: 2 }).allTextContents(), titles);
        await on("export-assurance").getByText("Verified", { exact: true }).waitFor();
        await on("export-check").getByText("claim 2").waitFor();
        await on("export-check").getByText("Output").click();
        await on("export-check").getByText('total">42').last().waitFor();
        await on("export-file").getByTestId("diff-line").filter({ hasText: 'id="total"' }).waitFor();
        await on("export-activity").getByTestId("transcript-entry").first().waitFor();
        await on("export-receipt").getByText("Claim 2").waitFor();
        await on("export-cost").getByText("Tokens").waitFor();

        // The keys of the replay are its own: outside of it, they scroll.
        await document.keyboard.press("Space");
        assert.equal(await on("replay-play").getAttribute("data-playing"), "false");
        await on("replay").focus();
        await document.keyboard.press("Space");
        await on("replay-play").and(document.locator('[data-playing="true"]')).waitFor();
        await on("replay-play").and(document.locator('[data-playing="false"]')).waitFor({ timeout: minute });
        assert.notEqual(await on("replay-step").getAttribute("data-n"), "0");
        await on("replay-pane").and(document.locator('[data-kind="terminal"]')).click();
        await on("replay-terminal").getByText("Serving").first().waitFor();
        await on("replay-pane").and(document.locator('[data-kind="browser"]')).click();
        await document.waitForFunction(painted);

        const n = await on("replay-step").getAttribute("data-n");
        await on("replay-to-log").click();
        await document.waitForFunction((id) => document.activeElement?.id === id, `step-${n}`);
      });
    }

    // A phone needs no scrolling to the side.
    await opened(file, { viewport: { width: 390, height: 844 } }, async (document) => {
      assert.equal(await document.evaluate(() => document.documentElement.scrollWidth), 390);
    });
  }),
);

const hostile =
  "</script><script>document.title='broken in'</script><img src=x onerror=\"document.title='broken in'\">";

test("nothing of a hostile goal is executed", { timeout: 4 * minute }, async (t) => {
  const model = await startModel([
    {
      text: `${hostile} [click](javascript:alert(1)) [site](https://evil.example/a)`,
      tool: "run_command",
      args: { command: `echo '${hostile.replaceAll("'", "")}'` },
    },
    {
      tool: "write_file",
      args: {
        path: "<img src=x onerror=alert(1)>.html",
        content: `${hostile}\n<!--<script>\n`,
      },
    },
    {
      tool: "write_file",
      args: {
        path: "a.svg",
        content: "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
      },
    },
    { tool: "terminal_open", args: {} },
    (body) => ({
      tool: "terminal_run",
      args: {
        pane: /pane (t\d+)/.exec(JSON.stringify(body.messages))[1],
        command:
          "printf '\\033]0;<img src=x onerror=alert(1)>\\007</script><script>alert(1)</script>\\033]8;;https://evil.example/\\007link\\033]8;;\\007\\n'",
      },
    }),
    { tool: "write_file", args: { path: "done.txt", content: hostile } },
    {
      tool: "claim_complete",
      args: {
        rationale: hostile,
        result: `${hostile}\n\n![cat](https://evil.example/a.png)`,
      },
    },
  ]);
  try {
    await withApp(t, async ({ page, home }) => {
      const at = (id) => page.getByTestId(id);
      const dir = join(home, "work");
      mkdirSync(dir);
      await addProvider(page, model);
      await startGoal(page, {
        objective: `Be hostile: ${hostile}`,
        dir,
        command: "cat done.txt",
      });
      await at("goal-header").and(page.locator('[data-status="completed"]')).waitFor({ timeout: minute });
      const file = await exported(page, home, () => at("next-export").click());
      await opened(file, {}, async (document) => {
        const on = (id) => document.getByTestId(id);
        await document.getByRole("heading", { level: 1 }).getByText("</script><script>").waitFor();
        await on("export-file").filter({ hasText: "onerror=alert(1)>.html" }).waitFor();
        await on("export-file").filter({ hasText: "a.svg" }).getByTestId("diff-line").first().waitFor();
        await on("export-check").getByText("Output").click();
        await on("export-activity").getByText("site (https://evil.example/a)").waitFor();
        for (const summary of await document.locator("details:not([open]) > summary").all()) await summary.click();
        await on("replay").focus();
        await document.keyboard.press("End");
        await on("replay-terminal").getByText("</script><script>alert(1)").first().waitFor();
        await on("replay-terminal").locator(".xterm-rows").getByText("link").last().click({ force: true });
        assert.deepEqual(
          await document
            .locator("a")
            .evaluateAll((all) => all.map((a) => a.getAttribute("href")).filter((h) => !h.startsWith("#"))),
          [],
        );
        assert.equal(await document.locator("main img, main svg[onload]").count(), 0);
        assert.match(await document.title(), /^Be hostile: <\/script>/);
      });
    });
  } finally {
    await model.close();
  }
});

/** Saves the file that a click gives. */
async function exported(page, home, click) {
  const [download] = await Promise.all([page.waitForEvent("download"), click()]);
  const file = join(home, download.suggestedFilename());
  await download.saveAs(file);
  assert.ok(statSync(file).size < maxBytes);
  return file;
}

/** Opens a file in a Chromium of its own, and fails if it asks for anything, complains or opens a dialog. */
async function opened(file, options, test) {
  const browser = await openChromium();
  try {
    const document = await browser.newPage({
      reducedMotion: "reduce",
      ...options,
    });
    const wrong = [];
    document.on("console", (m) => wrong.push(`console: ${m.text()}`));
    document.on("pageerror", (e) => wrong.push(`error: ${e.stack}`));
    document.on("dialog", (d) => wrong.push(`dialog: ${d.message()}`));
    document.on("popup", (p) => wrong.push(`popup: ${p.url()}`));
    const address = pathToFileURL(file).href;
    document.on("request", (r) => r.url() !== address && wrong.push(`request: ${r.url().slice(0, 100)}`));
    await document.goto(address);
    await document.getByTestId("export").waitFor();
    await test(document);
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
  }
}

/** Runs in the document: reports whether the replay's page shows more than one colour. */
function painted() {
  const canvas = document.querySelector('[data-testid="replay-canvas"]');
  if (!canvas?.width || !canvas.height) return false;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 40) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return colours.size > 3;
}
