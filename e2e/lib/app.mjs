// The real program, served to a real browser, on a data folder of its own.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { until } from "../window/window.mjs";
import { openChromium } from "./chromium.mjs";
import { limit } from "./limits.mjs";
import { keep, startServe } from "./serve.mjs";

let shared;

/** Returns the Chromium of all tests of this process, which run one after the other. */
export async function sharedChromium() {
  if (!shared?.isConnected()) shared = await openChromium();
  return shared;
}

after(() => shared?.close());

/**
 * Runs one test with a page of its own: `withApp(t, async ({ page, home, url }) => …)`.
 * A failure leaves a picture, the page's console and the program's log in e2e/out.
 */
export async function withApp(t, test, env = {}) {
  const home = mkdtempSync(join(tmpdir(), "goalpost-e2e-"));
  const cleanup = [() => rmSync(home, { recursive: true, force: true })];
  const said = [];
  let page, program;
  try {
    const serve = await startServe(home, env);
    program = serve.program;
    cleanup.unshift(() => program.end());
    const browser = await sharedChromium();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" });
    cleanup.unshift(() => context.close());
    context.setDefaultTimeout(limit(60_000));
    page = await context.newPage();
    page.on("console", (m) => said.push(`${m.type()}: ${m.text()} (${m.location().url})`));
    page.on("pageerror", (e) => said.push(`error: ${e.stack}`));
    await page.goto(serve.url);
    await test({ page, home, url: serve.url, program, said });
  } catch (error) {
    await keep(t.name, page, program, said);
    throw error;
  } finally {
    for (const step of cleanup) await step();
  }
}

/** Opens a page of the settings, such as `models` or `secrets-and-logins`. */
export async function openSettings(page, name) {
  await page.getByTestId("rail-settings").click();
  await page.getByTestId(`settings-page-${name}`).click();
}

/** Waits until the program has saved settings that the page shows immediately. */
export function savedSettings(home, fits) {
  return until("the settings to be saved", () =>
    fits(JSON.parse(readFileSync(join(home, "state", "settings.json"), "utf8")).settings),
  );
}

/**
 * Returns the errors that the page logged, except for connections that were refused or reset: a test that has ended the
 * program causes those itself.
 */
export function complaints(said) {
  return said.filter((line) => line.startsWith("error") && !/ERR_CONNECTION_(REFUSED|RESET)/.test(line));
}
