// Text files in panes: read, followed while somebody changes them, edited, saved and undone.
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { startServe } from "./lib/serve.mjs";
import { hoverWord, withWindow } from "./lib/terminals.mjs";
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
    await file.getByTestId("file-compare").click();
    await file.locator(".cm-deletedChunk", { hasText: "theirs" }).waitFor();
    await file.locator(".cm-changedLine", { hasText: "# mine" }).waitFor();
    writeFileSync(path, "theirs, later\n");
    await file.locator(".cm-deletedChunk", { hasText: "theirs, later" }).waitFor();
    await file.getByTestId("file-compare").click();
    await file.locator(".cm-deletedChunk").waitFor({ state: "detached" });
    await page.keyboard.press("Control+Shift+KeyW");
    await win.at("question").getByText("Close cart.py without saving?").waitFor();
    await win.at("question-no").click();
    await file.getByTestId("file-keep").click();
    await file.getByTestId("file-conflict").waitFor({ state: "detached" });
    await until("the file to be saved", () => readFileSync(path, "utf8").endsWith("# mine\n"));

    // Long lines are wrapped, or not, also in the next file.
    const wrapped = file.locator(".cm-lineWrapping");
    await wrapped.waitFor();
    await line("print").click();
    await page.keyboard.press("Alt+z");
    await wrapped.waitFor({ state: "detached" });
    await file.getByTestId("file-wrap").click();
    await wrapped.waitFor();

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

    // The chat is asked about the selection, and about the file.
    await page.keyboard.press("Home");
    await page.keyboard.press("Shift+ArrowUp");
    await win.menu(file, "ask");
    const chip = win.at("chat-draft-chip");
    await chip.getByText("Line 3 of cart.py").waitFor();
    await line("def").click();
    await win.menu(file, "ask");
    await chip.and(page.locator('[data-kind="file"]')).getByText("cart.py").waitFor();

    // It comes back with the page. A file that is gone says so.
    await page.reload();
    await line("return 2").waitFor();
    rmSync(path);
    await file.getByTestId("file-problem").getByText("does not exist").waitFor();
  }),
);

test("the folder of a file and of a terminal is shown on the desktop", { timeout: limit(120_000) }, async (t) => {
  // A desktop whose program for opening files records what it should open.
  const desktop = mkdtempSync(join(tmpdir(), "goalpost-desktop-"));
  writeFileSync(join(desktop, "xdg-open"), `#!/bin/sh\necho "$1" >>"${desktop}/opened"\n`, { mode: 0o755 });
  const opened = () => (existsSync(join(desktop, "opened")) ? readFileSync(join(desktop, "opened"), "utf8") : "");
  try {
    await withWindow(
      t,
      async (win, { page, home }) => {
        const dir = join(home, "project");
        mkdirSync(dir);
        writeFileSync(join(dir, "cart.py"), "pass\n");
        const file = await openFile(win, page, dir, "cart.py");
        await win.menu(file, "folder");
        await until("the folder of the file", () => opened() === `${dir}/\n`);
        const terminal = page.getByTestId("terminal").first();
        await win.menu(terminal, "folder");
        await until("the folder of the terminal", () => opened() === `${dir}/\n${dir}/\n`);

        // A file in the place of the folder is not opened: the desktop could run it.
        renameSync(dir, `${dir}.old`);
        writeFileSync(dir, "#!/bin/sh\n", { mode: 0o755 });
        await win.menu(file, "folder");
        await page.getByText(`the folder ${dir}/ cannot be opened`).first().waitFor();
        assert.equal(opened(), `${dir}/\n${dir}/\n`);
      },
      { PATH: `${desktop}:${process.env.PATH}`, DISPLAY: process.env.DISPLAY || ":none" },
    );
  } finally {
    rmSync(desktop, { recursive: true, force: true });
  }
});

test("what was typed and not saved survives a reload and a kill", { timeout: limit(240_000) }, (t) =>
  withWindow(t, async (win, app) => {
    const { page, home } = app;
    const dir = join(home, "project");
    mkdirSync(dir);
    const path = join(dir, "notes.txt");
    writeFileSync(path, "one\r\ntwo\r\n");
    const file = await openFile(win, page, dir, "notes.txt");
    const line = (text) => file.locator(".cm-line", { hasText: text });
    const drafts = join(home, "state", "drafts");
    const kept = (text) =>
      until(`the draft to be ${text}`, () => {
        const [name] = readdirSync(drafts).filter((n) => n.endsWith(".json"));
        if (!text || !name) return !text && !name;
        assert.equal(statSync(join(drafts, name)).mode & 0o777, 0o600);
        return JSON.parse(readFileSync(join(drafts, name), "utf8")).text === text;
      });
    const editing = () => file.and(page.locator('[data-editing="true"]')).waitFor();

    await line("two").click();
    await page.keyboard.press("e");
    await editing();
    await page.keyboard.press("End");
    await page.keyboard.type(" and a half");
    await kept("one\r\ntwo and a half\r\n");
    await page.reload();
    await line("two and a half").waitFor();
    await file.getByTestId("file-unsaved").getByText("not saved since").waitFor();
    assert.equal(readFileSync(path, "utf8"), "one\r\ntwo\r\n");

    // Goalpost is killed, and the file changes meanwhile: the key does not save over it.
    await line("two and a half").click();
    await page.keyboard.press("End");
    await page.keyboard.type("!");
    await kept("one\r\ntwo and a half!\r\n");
    await app.program.end("SIGKILL");
    writeFileSync(path, "theirs\r\n");
    const { program, url } = await startServe(home);
    t.after(() => program.end());
    await page.goto(url);
    await line("two and a half!").waitFor();
    await file.getByTestId("file-conflict").waitFor();
    await line("two and a half!").click();
    await page.keyboard.press("Control+s");
    await page.waitForFunction(() => document.activeElement?.dataset.testid === "file-take");
    assert.equal(readFileSync(path, "utf8"), "theirs\r\n");
    await file.getByTestId("file-keep").click();
    await file.and(page.locator('[data-changed="false"]')).waitFor();
    assert.equal(readFileSync(path, "utf8"), "one\r\ntwo and a half!\r\n");
    await kept("");

    // A file that is removed while it is edited can be made again; what is discarded is forgotten.
    await line("two and a half!").click();
    await page.keyboard.press("End");
    await page.keyboard.type("?");
    rmSync(path);
    await file.getByTestId("file-conflict").getByText("does not exist").waitFor();
    await line("two and a half!?").waitFor();
    await file.getByTestId("file-keep").click();
    await file.and(page.locator('[data-changed="false"]')).waitFor();
    assert.equal(readFileSync(path, "utf8"), "one\r\ntwo and a half!?\r\n");
    await page.keyboard.type("x");
    await kept("one\r\ntwo and a half!?x\r\n");
    await file.getByTestId("file-stop").click();
    await kept("");
    await page.reload();
    await line(/half!\?$/).waitFor();
    assert.equal(await file.getByTestId("file-unsaved").count(), 0);
  }),
);

test("a workspace with a text that is not saved asks before it closes", { timeout: limit(240_000) }, (t) =>
  withWindow(t, async (win, { page, home }) => {
    const dir = join(home, "project");
    mkdirSync(dir);
    writeFileSync(join(dir, "notes.txt"), "one\n");
    const file = await openFile(win, page, dir, "notes.txt");
    await file.locator(".cm-line").first().click();
    await page.keyboard.press("e");
    await file.and(page.locator('[data-editing="true"]')).waitFor();
    await page.keyboard.type("not saved ");
    // The file is drawn no longer, and the question knows of its text.
    await win.at("new-workspace").click();
    await win.at("field-folder").fill(home);
    await page.keyboard.press("Control+Enter");
    await file.waitFor({ state: "detached" });
    await win.at("workspace-tab").first().click({ button: "right" });
    await page.getByRole("menuitem", { name: "Close" }).click();
    await win.at("question").getByText("What you wrote in notes.txt and did not save is lost").last().waitFor();
    await win.at("question-yes").click();
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=workspace-tab]").length === 1);
    await until("the draft to be forgotten", () => readdirSync(join(home, "state", "drafts")).length === 0);
    assert.equal(readFileSync(join(dir, "notes.txt"), "utf8"), "one\n");
  }),
);

test("the first lines of a long file are shown, and searched once it is whole", { timeout: limit(240_000) }, (t) =>
  withWindow(t, async (win, { page, home }) => {
    const dir = join(home, "project");
    mkdirSync(dir);
    const line = (n) => `line ${n} of a text that is long enough to arrive in many pieces\n`;
    writeFileSync(join(dir, "long.txt"), Array.from({ length: 300_000 }, (_, n) => line(n + 1)).join(""));
    const file = await openFile(win, page, dir, "long.txt");
    await file.locator(".cm-line", { hasText: "line 1 of" }).waitFor();
    await file.getByTestId("file-edit").and(page.locator(":enabled")).waitFor();
    assert.equal(await file.getByTestId("file-unsaved").count(), 0);
    await file.locator(".cm-line").first().click();
    await page.keyboard.press("Control+g");
    await file.locator(".cm-panel input").fill("299999");
    await page.keyboard.press("Enter");
    await file.locator(".cm-activeLine", { hasText: "line 299999 of" }).waitFor();
    await page.keyboard.press("Control+f");
    await file.locator(".cm-search input[name=search]").pressSequentially("line 150000 of");
    await page.keyboard.press("Enter");
    await file.locator(".cm-searchMatch-selected", { hasText: "line 150000 of" }).waitFor();
  }),
);

test("a goal's terminal links the files of its folder", { timeout: limit(240_000) }, async (t) => {
  let goOn = () => undefined;
  const looked = new Promise((resolve) => (goOn = resolve));
  const command = "echo src/cart.js:2:1 src/secret.js:1 end";
  const model = await startModel([
    { tool: "terminal_open", args: { title: "tests" } },
    { tool: "terminal_run", args: { pane: "t1", command, wait_seconds: 20 } },
    () => looked.then(() => ({ tool: "run_command", args: { command: "touch done.txt" } })),
    { tool: "claim_complete", args: { rationale: "done.txt exists" } },
  ]);
  const walk = async ({ page, home }) => {
    const dir = join(home, "shop");
    mkdirSync(join(dir, "src"), { recursive: true });
    writeFileSync(join(dir, "src", "cart.js"), "one\ntwo\n");
    writeFileSync(join(home, "secret.js"), "mine\n");
    symlinkSync(join(home, "secret.js"), join(dir, "src", "secret.js"));
    await addProvider(page, model);
    const objective = "look, then create done.txt";
    await startGoal(page, { objective, dir, command: "test -f done.txt" });
    await page.getByTestId("rail-workspace").click();
    const terminal = page.getByTestId("terminal");
    const row = /^src\/cart\.js:2:1/;
    await terminal.locator(".xterm-rows > div", { hasText: row }).waitFor();

    // A link that leads out of the folder is only text: the pointer changes over the other name, and back.
    const pointer = terminal.locator(".xterm-cursor-pointer");
    await hoverWord(page, terminal, row, "src/cart.js");
    await pointer.waitFor();
    await hoverWord(page, terminal, row, "src/secret.js");
    await pointer.waitFor({ state: "detached" });
    const at = await hoverWord(page, terminal, row, "src/cart.js");
    await pointer.waitFor();
    await page.mouse.click(...at);
    const file = page.locator(`[data-testid="file"][data-path="${join(dir, "src", "cart.js")}"]`);
    await file.locator(".cm-activeLine").getByText("two", { exact: true }).waitFor();
    goOn();
  };
  try {
    await withApp(t, walk);
  } finally {
    goOn();
    model.close();
  }
});
