// The settings: pages with addresses, a search over all of them, and the keyboard alone.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";

test("settings have pages with addresses and a search over all of them", { timeout: limit(200_000) }, (t) =>
  withApp(t, async ({ page, home, said }) => {
    const at = (id) => page.getByTestId(id);
    const heading = (title) => page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    const marked = page.locator("[data-marked]");
    const where = (query) => page.waitForURL((url) => url.search === query);
    await at("skip-welcome").click();
    await openSettings(page, "terminal");
    await heading("Terminal");
    await where("?place=settings&at=terminal");

    // The search finds what another page describes, and jumps to its row.
    await page.keyboard.press("/");
    await page.keyboard.type("unanswered goal");
    const hit = at("settings-hit").first();
    await hit.locator("mark").first().waitFor();
    assert.deepEqual(await hit.locator("mark").allInnerTexts(), ["unanswered", "goal"]);
    await page.keyboard.press("Enter");
    await heading("Goals");
    await marked.getByText("Approval timeout").waitFor();
    await where("?place=settings&at=approval-timeout");
    await page.locator('[data-testid="approval-minutes"]:focus').waitFor();
    await page.keyboard.press("Control+KeyA");
    await page.keyboard.type("7");
    await page.keyboard.press("Enter");
    await savedSettings(home, (s) => s.approval_minutes === 7);

    // Back leads through the pages, and a link opens one at its row.
    await page.goBack();
    await heading("Terminal");
    await page.goBack();
    await heading("General");
    const link = new URL(page.url());
    link.search = "?place=settings&at=daily-limit";
    await page.goto(link.href);
    await heading("Spending");
    await marked.getByText("Daily limit").waitFor();
    await page.locator('[data-testid="daily-limit"]:focus').waitFor();

    // The arrows walk through the pages, and Esc closes.
    await at("settings-page-spending").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await heading("Engines");
    await page.keyboard.press("Escape");
    await at("settings").waitFor({ state: "detached" });
    await at("workspace-empty").waitFor();
    assert.deepEqual(complaints(said), []);
  }),
);

test("settings that are edited by hand or in another window show at once", { timeout: limit(200_000) }, (t) =>
  withApp(t, async ({ page, home, url }) => {
    const file = join(home, "state", "settings.json");
    await page.getByTestId("skip-welcome").click();
    await savedSettings(home, (s) => s.welcomed);
    const second = await page.context().newPage();
    await second.goto(url);
    for (const one of [page, second]) await openSettings(one, "terminal");
    await page.getByTestId("font-size").fill("17");
    await page.getByTestId("font-size").press("Enter");
    const shows = (one, size) =>
      one.waitForFunction((want) => document.querySelector('[data-testid="font-size"]')?.value === want, size);
    await shows(second, "17");
    await savedSettings(home, (s) => s.font_size === 17);
    writeFileSync(file, readFileSync(file, "utf8").replace('"font_size": 17', '"font_size": 21'));
    await Promise.all([shows(page, "21"), shows(second, "21")]);
  }),
);

test(
  "errors of settings.json are shown with their line; the file opens there and stays until the user acts",
  { timeout: limit(200_000) },
  (t) =>
    withApp(t, async ({ page, home, said }) => {
      const at = (id) => page.getByTestId(id);
      const file = join(home, "state", "settings.json");
      await at("skip-welcome").click();
      await savedSettings(home, (s) => s.welcomed);

      // The button shows the file in a pane, as it is.
      await openSettings(page, "terminal");
      await at("settings-file").click();
      const pane = page.locator(`[data-testid="file"][data-path="${file}"]`);
      await pane.locator(".cm-line", { hasText: '"font_size": 13' }).waitFor();

      // An error that is written there is named at once, and leads to its line.
      const broken = readFileSync(file, "utf8")
        .replace('"font_size": 13', '"font_size": 99')
        .replace(/\n}\n$/, ',\n  "colour": 1\n}\n');
      writeFileSync(file, broken);
      await openSettings(page, "terminal");
      const problems = at("settings-problem");
      await problems.getByText("99 is out of range for font size").waitFor();
      await problems.getByText("use 8 to 32. Until then, the default is in effect.").waitFor();
      await problems.getByText('"colour" is not a known key').waitFor();
      const line = broken.split("\n").findIndex((l) => l.includes('"font_size"')) + 1;
      await problems.getByText(`Line ${line}, column 18`).waitFor();

      // Nothing is saved over it, and the window says why.
      await at("scrollback").fill("5000");
      await at("scrollback").press("Enter");
      await page.getByText(`nothing was saved, because settings.json has an error: line ${line}, column 18`).waitFor();
      assert.equal(readFileSync(file, "utf8"), broken);
      await at("settings-problem-line").first().click();
      await pane.locator(".cm-activeLine", { hasText: '"font_size": 99' }).waitFor();

      // Moved aside, the file is kept, and what could be read of it is in effect.
      await openSettings(page, "terminal");
      await at("settings-move-aside").click();
      await at("question-yes").click();
      await at("settings-problems").waitFor({ state: "detached" });
      await savedSettings(home, (s) => s.font_size === 13 && s.welcomed);
      assert.equal(readFileSync(`${file}.unreadable`, "utf8"), broken);

      // What is not JSON changes nothing; correcting it by hand ends the warning.
      const good = readFileSync(file, "utf8");
      writeFileSync(file, good.replace('"theme"', "theme"));
      await problems.getByText("this is not JSON").waitFor();
      writeFileSync(file, good.replace('"scrollback": 10000', '"scrollback": 7000'));
      await at("settings-problems").waitFor({ state: "detached" });
      await page.waitForFunction(() => document.querySelector('[data-testid="scrollback"]')?.value === "7000");
      assert.deepEqual(complaints(said), []);
    }),
);
