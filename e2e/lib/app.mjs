// The real program, served to a real browser, on a data folder of its own.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "../window/window.mjs";
import { openChromium } from "./chromium.mjs";
import { Program } from "./program.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
export const out = join(root, "e2e", "out");

/** Starts `goalctl serve` and waits until it prints its address. */
export async function startServe(home, env = {}, file = join(root, "bin", "goalctl")) {
  const program = new Program(file, ["serve", "--listen", "127.0.0.1:0", "--print-json"], {
    // A home of its own: shells in panes do not run the developer's profile.
    env: { ...process.env, HOME: home, GOALPOST_HOME: home, ...env },
  });
  const line = await program.line((text) => text.startsWith("{"));
  return { program, url: JSON.parse(line).url };
}

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
    const browser = await openChromium();
    cleanup.unshift(() => browser.close());
    page = await browser.newPage({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
    });
    page.setDefaultTimeout(60_000);
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

/** Waits until the program has saved settings that the page shows immediately. */
export function savedSettings(home, fits) {
  return until("the settings to be saved", () =>
    fits(JSON.parse(readFileSync(join(home, "state", "settings.json"), "utf8")).settings),
  );
}

/**
 * Returns the errors that the page logged, except for refused connections: a test that has ended the program causes
 * those itself.
 */
export function complaints(said) {
  return said.filter((line) => line.startsWith("error") && !line.includes("ERR_CONNECTION_REFUSED"));
}

/** Saves the picture, the console and the log of a test that failed. */
export async function keep(name, page, program, said) {
  mkdirSync(out, { recursive: true });
  const base = join(out, name.replace(/[^a-z0-9]+/gi, "-"));
  writeFileSync(`${base}.log`, `${program?.log ?? ""}\n--- page\n${said.join("\n")}\n`);
  try {
    await page?.screenshot({ path: `${base}.png` });
  } catch (error) {
    console.error(`no screenshot: ${error.message}`);
  }
  console.error(`picture and logs: ${base}.{png,log}`);
}
