// Text files in panes: read, followed while somebody changes them, edited, saved and undone.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { limit } from "./lib/limits.mjs";
import { withWindow } from "./lib/terminals.mjs";
import { until } from "./window/window.mjs";

/** Opens a terminal in a folder, and from there a file with the palette. Resolves with the pane. */
async function openFile(win, page, dir, name) {
  const terminal = await win.open("Control+Shift+KeyT");
  await win.type(terminal, `cd ${dir}`);
  await win
    .at("pane-dir")
    .getByText(/project/)
    .first()
    .waitFor();
  await win.press("Control+Shift+KeyP");
  await win.at("palette").waitFor();
  await page.keyboard.type(`/${name}`);
  await win.at(`file-${join(dir, name)}`).click();
  const file = page.locator(`[data-testid="file"][data-path="${join(dir, name)}"]`);
  await file.locator(".cm-line").first().waitFor();
  return file;
}

test("a file is read, followed, edited, saved and put back", { timeout: limit(240_000) }, (t) =>
  withWindow(t, async (win, { page, home }) => {
    const dir = join(home, "project");
    mkdirSync(dir);
    const path = join(dir, "cart.py");
    writeFileSync(path, "def total():\n    return 1\n\nprint(total())\n");
    const file = await openFile(win, page, dir, "cart.py");
    const line = (text) => file.locator(".cm-line", { hasText: text });
    await line("return 1").waitFor();

    // It is read first: keys change nothing. What somebody else changes is shown and marked at once.
    await file.locator(".cm-content").click();
    await page.keyboard.type("zzz");
    writeFileSync(`${path}.new`, "def total():\n    return 2\n\nprint(total())\n");
    renameSync(`${path}.new`, path);
    await file.locator(".cm-changed", { hasText: "return 2" }).waitFor();
    assert.equal(await file.locator(".cm-changed").count(), 1);
    assert.equal(await line("zzz").count(), 0);
    await file.getByTestId("file-changed").getByText("line 2").click();
    await file.locator(".cm-activeLine", { hasText: "return 2" }).waitFor();

    // A key begins to edit, another one saves, and the notice undoes it.
    await page.keyboard.press("e");
    await file.and(page.locator('[data-editing="true"]')).waitFor();
    await page.keyboard.press("End");
    await page.keyboard.type("0");
    await file.getByTestId("file-unsaved").waitFor();
    await page.keyboard.press("Control+s");
    await file.and(page.locator('[data-changed="false"]')).waitFor();
    assert.equal(readFileSync(path, "utf8"), "def total():\n    return 20\n\nprint(total())\n");
    await page.getByText("Saved cart.py").first().waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await line(/return 2$/).waitFor();
    await until("the file to be put back", () => readFileSync(path, "utf8").includes("return 2\n"));

    // Somebody changes the file while the user edits it: both texts can be kept.
    await line("print").click();
    await page.keyboard.press("End");
    await page.keyboard.type("  # mine");
    writeFileSync(path, "theirs\n");
    await file.getByTestId("file-conflict").waitFor();
    await page.keyboard.press("Control+Shift+KeyW");
    await win.at("question").getByText("Close cart.py without saving?").waitFor();
    await win.at("question-no").click();
    await file.getByTestId("file-keep").click();
    await file.getByTestId("file-conflict").waitFor({ state: "detached" });
    await until("the file to be saved", () => readFileSync(path, "utf8").endsWith("# mine\n"));

    // Search and a line by number.
    await line("print").click();
    await page.keyboard.press("Escape");
    await file.and(page.locator('[data-editing="false"]')).waitFor();
    await page.keyboard.press("Control+f");
    await file.locator(".cm-search input[name=search]").pressSequentially("total");
    await file.locator(".cm-searchMatch").nth(1).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+g");
    await file.locator(".cm-panel input").fill("4");
    await page.keyboard.press("Enter");
    await file.locator(".cm-activeLine", { hasText: "print" }).waitFor();

    // It comes back with the page. A file that is gone says so.
    await page.reload();
    await line("return 2").waitFor();
    rmSync(path);
    await file.getByTestId("file-problem").getByText("does not exist").waitFor();
  }),
);
