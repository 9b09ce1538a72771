// Every key of the window, pressed once against the real program, with the keyboard in a terminal.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withApp } from "./lib/app.mjs";

test("every key does what the palette says, also inside a terminal", { timeout: 300_000 }, (t) =>
  withApp(t, async ({ page, said }) => {
    const at = (id) => page.getByTestId(id);
    const panes = (n) => page.waitForFunction((n) => document.querySelectorAll('[data-testid="pane"]').length === n, n);
    const press = (keys) => page.keyboard.press(keys);
    await at("skip-welcome").click();

    await press("Control+Shift+KeyT");
    const terminal = at("terminal").first();
    await terminal.locator(".xterm-screen").click();
    await page.keyboard.type("echo ready $((40+2))\n");
    await terminal.getByText("ready 42").first().waitFor();

    // Keys of the shell stay the shell's: Ctrl+W takes back a word, Ctrl+C a line.
    await page.keyboard.type("echo kept dropped");
    await press("Control+KeyW");
    await page.keyboard.type("word\n");
    await terminal.getByText("kept word", { exact: true }).first().waitFor();
    // The program says when it has the terminal: a Ctrl+C between the shell's read and its fork would be the shell's own.
    await page.keyboard.type("sh -c 'echo asleep $((4+4)); exec sleep 100'\n");
    await terminal.getByText("asleep 8").first().waitFor();
    await press("Control+KeyC");
    await terminal.getByText("^C").first().waitFor();
    await page.keyboard.type("echo back $((1+1))\n");
    await terminal.getByText("back 2").first().waitFor();

    await press("Control+Shift+KeyD");
    await panes(2);
    await press("Alt+ArrowLeft");
    await press("Alt+ArrowRight");
    await press("Control+Shift+Enter");
    await page.getByText("show all panes").waitFor();
    await press("Control+Shift+Enter");
    await page.getByText("show all panes").waitFor({ state: "detached" });
    await press("Control+Shift+KeyW");
    const sure = at("question-yes"); // asked only while a program runs
    await Promise.race([panes(1), sure.waitFor()]);
    if (await sure.isVisible()) await sure.click();
    await panes(1);

    await press("Control+Shift+KeyB");
    await at("browser").first().waitFor();
    await panes(2);

    await press("Control+Shift+KeyP");
    await at("palette").waitFor();
    await page.keyboard.type("dark theme");
    await press("Enter");
    await page.waitForFunction(() => document.documentElement.dataset.theme === "dark");
    await press("Control+Shift+KeyY");
    await at("approvals-empty").waitFor();
    await press("Escape");
    await at("approvals-empty").waitFor({ state: "detached" });

    // Ctrl+Shift+G opens the dashboard with the dialog in front, and closes an open one;
    // Esc closes the dialog and leaves the dashboard.
    await press("Control+Shift+KeyG");
    await at("new-goal").waitFor();
    await press("Escape");
    await at("new-goal").waitFor({ state: "detached" });
    await at("dashboard").waitFor();
    await press("Control+Shift+KeyG");
    await at("dashboard").waitFor({ state: "hidden" });

    await press("Control+Shift+Space"); // the leader, then s
    await press("s");
    await at("settings").waitFor();
    await at("theme-light").click();
    await page.waitForFunction(() => document.documentElement.dataset.theme === "light");
    assert.deepEqual(
      said.filter((line) => line.startsWith("error")),
      [],
      "the page reported errors",
    );
  }),
);
