// Playwright is one of the page's development dependencies; Chromium is the machine's.
import { accessSync, constants } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const { chromium } = createRequire(new URL("../../frontend/package.json", import.meta.url))("playwright-core");

/**
 * The first Chromium on PATH. The headless shell draws pages with the same engine, and has no window whose parts cost
 * as much as the page.
 */
export function findChromium() {
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  for (const name of names) {
    for (const dir of (process.env.PATH ?? "").split(":")) {
      const path = join(dir, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // it is not in this folder
      }
    }
  }
  throw new Error(`no Chromium on PATH (${names.join(", ")}): run make deps-test`);
}

export function openChromium() {
  // Chromium's own sandbox does not work for root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  return chromium.launch({ executablePath: findChromium(), args });
}
