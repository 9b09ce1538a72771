// First start → demonstration goal → both panes show the work → the dashboard
// shows the failed check, then the passed one → receipt.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";

const minute = limit(60_000);

test("the demonstration goal, from the first start to the receipt", { timeout: 4 * minute }, (t) =>
  withApp(t, async ({ page, home, said }) => {
    const at = (id) => page.getByTestId(id);

    await at("welcome").waitFor();
    await at("computer-details").click();
    for (const finding of ["chromium", "helper", "sandbox"]) {
      await at("checklist").locator(`[data-id="${finding}"]`).waitFor();
    }
    await at("run-demo").click();

    // Both panes open by themselves and show what the goal does.
    const terminal = at("terminal").first();
    const browser = at("browser").first();
    await terminal.waitFor();
    await terminal.getByText("Serving").first().waitFor({ timeout: minute });
    await browser.waitFor({ timeout: minute });
    await page.waitForFunction(painted, "browser-canvas", {
      timeout: minute,
    });
    await at("goal-drawer").waitFor();
    await at("goal-drawer").getByText("Scripted, no AI").waitFor();

    // The dashboard shows the claim that failed and the one that passed.
    await at("rail-goals").click();
    await at("dashboard").waitFor();
    await at("goal-card").first().click();
    const verdicts = at("step-log").getByTestId("verdict");
    await verdicts.and(page.locator('[data-outcome="fail"]')).first().waitFor({ timeout: minute });
    await verdicts.and(page.locator('[data-outcome="pass"]')).first().waitFor({ timeout: minute });
    await at("criterion").locator('[data-testid="check"][data-outcome="pass"]').waitFor();
    // Its server still runs, and its check asks nobody.
    await at("goal-assurance").getByText("Verified", { exact: true }).waitFor();
    assert.deepEqual(
      await at("verification")
        .getByTestId("mark")
        .evaluateAll((all) => all.map((e) => e.dataset.what)),
      ["verify:fail", "verify:pass"],
    );

    await at("receipt-open").click();
    const claims = at("receipt-dialog").getByTestId("receipt-claim");
    await claims.nth(1).waitFor();
    assert.equal(await claims.count(), 2);
    assert.equal(await claims.nth(0).getAttribute("data-deciding"), "false");
    assert.equal(await claims.nth(1).getAttribute("data-deciding"), "true");
    await page.keyboard.press("Escape");

    await replay(page, at, home);

    // With the keyboard in the page of a browser pane, Ctrl+Shift+G is still the app's.
    await at("rail-workspace").click();
    await at("browser-canvas").first().click();
    await page.keyboard.press("Control+Shift+G");
    await page.waitForFunction(() => document.activeElement?.dataset.testid === "field-objective");
    await page.keyboard.type("typed in the dialog");
    assert.equal(await at("field-objective").inputValue(), "typed in the dialog");
    await page.keyboard.press("Escape");
    await at("new-goal").waitFor({ state: "detached" });
    await at("dashboard").waitFor();

    // The files that the panes showed really exist.
    const [folder] = readdirSync(join(home, "work"));
    assert.match(readFileSync(join(home, "work", folder, "index.html"), "utf8"), /id="total">42</);
    assert.deepEqual(
      said.filter((line) => line.startsWith("error")),
      [],
      "the page reported errors",
    );
  }),
);

/** Replays the recording from the moment of a step, in the terminal and in the page. */
async function replay(page, at, home) {
  const step = at("step-log").locator('[data-testid="step"][data-tool="browser_open"]').first();
  const n = await step.getAttribute("data-n");
  await step.getByRole("button").first().click();
  await step.getByTestId("step-replay").click();
  await at("replay").waitFor();
  await at("replay-step")
    .and(page.locator(`[data-n="${n}"]`))
    .waitFor();

  const pane = (kind) =>
    at("replay-pane")
      .and(page.locator(`[data-kind="${kind}"]`))
      .first();
  await pane("terminal").click();
  await at("replay-terminal").getByText("Serving").first().waitFor();

  // It is drawn in the colors that terminals have, also when they change.
  const settings = join(home, "state", "settings.json");
  writeFileSync(
    settings,
    readFileSync(settings, "utf8").replace(/"color_scheme": "[^"]*"/, '"color_scheme": "Solarized Light"'),
  );
  await page.waitForFunction(() => {
    const background = (css) => {
      const element = document.querySelector(`[data-testid="replay-terminal"]${css}`);
      return element && getComputedStyle(element).backgroundColor;
    };
    return ["", " .xterm-scrollable-element"].every((css) => background(css) === "rgb(253, 246, 227)");
  });

  // The replay starts before the page existed and runs to the end, where the page is drawn.
  await pane("browser").click();
  await page.keyboard.press("End");
  await page.waitForFunction(painted, "replay-canvas");
  await page.keyboard.press("Home");
  await at("replay-early").waitFor();
  await page.evaluate(noteSteps);
  await page.keyboard.press("Space");
  await page.waitForFunction((n) => window.shownSteps.has(n), n);
  await page.waitForFunction(painted, "replay-canvas");
  await at("replay-play").and(page.locator('[data-playing="false"]')).waitFor({ timeout: minute });

  // From the replay, a link leads back to the log, where the last step is expanded.
  const last = await at("replay-step").getAttribute("data-n");
  await at("replay-to-log").click();
  await at("step-log").locator(`[data-testid="step"][data-n="${last}"]`).getByTestId("step-more").waitFor();

  // The done screen offers all of it in ten seconds.
  await page.evaluate(noteSteps);
  await at("next-summary").click();
  await page.waitForFunction((last) => window.shownSteps.has(last), last);
  await at("replay-summary").and(page.locator('[aria-pressed="false"]')).waitFor();
  assert.ok(await page.evaluate((n) => window.shownSteps.has(n), n), "the summary left a step out");
  await page.waitForFunction(painted, "replay-canvas");
}

/** Runs in the page: notes each step that the replay shows from now on, however briefly. */
function noteSteps() {
  window.shownSteps = new Set();
  const note = () => window.shownSteps.add(document.querySelector('[data-testid="replay-step"]')?.dataset.n);
  new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributeFilter: ["data-n"] });
}

/** Runs in the page: reports whether a canvas shows more than one colour. */
function painted(id) {
  const canvas = document.querySelector(`[data-testid="${id}"]`);
  if (!canvas?.width || !canvas.height) return false;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const colours = new Set();
  for (let i = 0; i < data.length; i += 40) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
  return colours.size > 3;
}
