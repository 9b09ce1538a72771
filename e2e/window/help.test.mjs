// Ways out of a dialog in the real window: F1 opens the document about it, and a link opens in the user's own browser,
// through the desktop.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { limit } from "../lib/limits.mjs";
import { until, withWindow } from "./window.mjs";

/** Creates a desktop whose browser records the addresses that it should open. */
function desktop() {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-desktop-"));
  const opened = join(dir, "opened");
  mkdirSync(join(dir, "bin"));
  writeFileSync(join(dir, "bin", "xdg-open"), `#!/bin/sh\necho "$1" >>'${opened}'\n`, { mode: 0o755 });
  writeFileSync(opened, "");
  return {
    env: { PATH: `${join(dir, "bin")}:${process.env.PATH}` },
    opened: () => readFileSync(opened, "utf8"),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

test("help and links of the real window", { timeout: limit(600_000) }, async () => {
  const session = desktop();
  try {
    await withWindow(
      async (w) => {
        const page = () => document.querySelector('[data-testid="help-page"][aria-current="page"]')?.dataset.page ?? "";
        await w.sees("welcome");
        await w.click("help-button");
        await w.opens("help");
        assert.equal(await w.page(page), "guide/start");
        await w.key("Escape");
        await w.misses("help");

        await until("the card of OpenAI", () =>
          w.page(() => {
            const card = document.querySelector('[data-testid="preset-card"][data-id="openai"]');
            card?.setAttribute("data-testid", "openai-card");
            return Boolean(card);
          }),
        );
        await w.click("openai-card");
        await w.click("welcome-connect");
        await w.opens("connect-dialog");
        await w.key("F1");
        await w.opens("help");
        assert.equal(await w.page(page), "how-to/connect-a-model");
        await w.key("Escape");
        await w.misses("help");
        await w.sees("connect-dialog");

        await w.click("connect-get-key");
        const address = await until("the user's browser", () => session.opened().trim());
        assert.match(address, /^https:\/\/platform\.openai\.com\//);
        assert.equal(address.split("\n").length, 1);
      },
      { env: session.env },
    );
  } finally {
    session.remove();
  }
});
