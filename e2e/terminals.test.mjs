// What users do with terminals: splits, zoom, drag, broadcast, search, links, look, exit and restart, a reload of the
// page, and a restart of Goalpost.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { limit } from "./lib/limits.mjs";
import { startServe } from "./lib/serve.mjs";
import { withWindow } from "./lib/terminals.mjs";

test("terminals are split, zoomed, dragged and typed into together", { timeout: limit(300_000) }, (t) =>
  withWindow(t, async (win, { page }) => {
    const first = await win.open("Control+Shift+KeyT");
    await win.type(first, "cd /usr/share && echo here $((40+2))");
    await win.sees(first, "here 42");
    await win.at("pane-dir").getByText("/usr/share").waitFor();

    // A split opens in the folder of the shell.
    const second = await win.open("Control+Shift+KeyD");
    await win.type(second, "echo in $PWD.");
    await win.sees(second, "in /usr/share.");

    // Nothing scrolls the terminal out of its pane, not even Tab to a field below the visible part.
    const moved = await second.evaluate((el) => {
      const screen = el.querySelector(".xterm");
      const low = screen.appendChild(document.createElement("input"));
      low.style.cssText = "position:absolute;top:3000px";
      low.focus();
      const at = [];
      for (let e = screen; e && e.dataset.testid !== "workspace"; e = e.parentElement) at.push(e.scrollTop);
      low.remove();
      return at;
    });
    assert.ok(
      moved.every((top) => top === 0),
      `scrolled by ${moved}`,
    );

    // After a zoom and back, by key or by double click, it is still the same terminal.
    await second.evaluate((el) => (el.dataset.mark = "same"));
    const zoomed = page.getByText("show all panes");
    await win.press("Control+Shift+Enter");
    await zoomed.waitFor();
    await win.press("Control+Shift+Enter");
    await zoomed.waitFor({ state: "detached" });
    await (await win.tab(second)).getByTestId("pane-title").dblclick();
    await zoomed.waitFor();
    await win.press("Control+Shift+Enter");
    await zoomed.waitFor({ state: "detached" });
    assert.equal(await second.getAttribute("data-mark"), "same");

    await dragBorder(page, first, second);

    // Broadcast: what is typed into one reaches both, until one leaves.
    await win.leader("m");
    await win.at("pane-broadcast").getByText("no other terminals").waitFor();
    await first.locator(".xterm-screen").click();
    await win.leader("m");
    await win.at("pane-broadcast").getByText("broadcast · 2").first().waitFor();
    await win.type(first, "echo both $((20+3))");
    await win.sees(first, "both 23");
    await win.sees(second, "both 23");
    const broadcast = `[data-testid="pane-broadcast"][data-pane="${await first.getAttribute("data-pane")}"]`;
    await page.locator(broadcast).click();
    await win.type(first, "echo alone $((5+5))");
    await win.sees(first, "alone 10");
    assert.equal(await second.getByText("alone 10").count(), 0);

    // A terminal that is dragged to another group becomes a tab there, and is still the same terminal.
    await (await win.tab(second)).dragTo(first);
    await win.groups(1);
    await win.type(second, "echo moved $((3+4))");
    await win.sees(second, "moved 7");
    assert.equal(await second.getAttribute("data-mark"), "same");
    await (await win.tab(first)).click();
    await win.sees(first, "alone 10");

    // The focus can leave a terminal, although the terminal handles Tab itself.
    await first.locator(".xterm-screen").click();
    await win.press("Control+Shift+Tab");
    await page.waitForFunction(() => document.activeElement?.querySelector('[data-testid="pane-tab"]'));
    await win.press("Tab");
    await page.waitForFunction(() => !document.activeElement?.closest('[data-testid="terminal"]'));
  }),
);

/** Drags the border between two terminals: a line follows the pointer, and Escape puts the border back. */
async function dragBorder(page, first, second) {
  const width = async () => (await first.boundingBox()).width;
  const before = await width();
  const line = page.getByTestId("border-line");
  const hold = async (by) => {
    const box = await second.boundingBox();
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x - 4, y);
    await page.mouse.down();
    await page.mouse.move(box.x - 4 - by / 2, y);
    await page.mouse.move(box.x - 4 - by, y);
    await page.waitForFunction(
      ([x]) => Math.abs(document.querySelector(".border-line")?.getBoundingClientRect().x + 2 - x) < 3,
      [box.x - 4 - by],
    );
  };
  await hold(120);
  await page.mouse.up();
  await line.waitFor({ state: "detached" });
  assert.ok(Math.abs(before - 120 - (await width())) < 4, `${before} became ${await width()}`);
  await hold(-60);
  await page.keyboard.press("Escape");
  await line.waitFor({ state: "detached" });
  await page.mouse.up();
  assert.ok(Math.abs(before - 120 - (await width())) < 4, "Escape put the border back");
}

test("a terminal is searched, followed, copied, renamed and follows its settings", { timeout: limit(300_000) }, (t) =>
  withWindow(t, async (win, { page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const terminal = await win.open("Control+Shift+KeyT");
    await win.type(terminal, "for i in $(seq 400); do echo line $i of many; done; echo done $((1+1))");
    await win.sees(terminal, "done 2");

    await win.menu(terminal, "search");
    await win.at("terminal-search").fill("line 17 of");
    await win.press("Enter");
    await win.sees(terminal, "line 17 of many"); // far above what was on the screen
    await win.press("Escape");
    await win.at("terminal-search").waitFor({ state: "detached" });
    await win.press("Control+Shift+KeyF");
    await win.at("terminal-search").waitFor();
    await win.press("Escape");
    await win.at("terminal-search").waitFor({ state: "detached" });
    await win.terminalFocused();

    // A line is copied, and several lines are pasted as one piece: pasted text is not run automatically.
    await win.type(terminal, "clear; echo unique$((6*7))word");
    await win.sees(terminal, "unique42word");
    await terminal.locator(".xterm-rows").getByText("unique42word", { exact: true }).dblclick({ force: true });
    await win.press("Control+Shift+KeyC");
    await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text === "unique42word"));
    await page.evaluate(() => navigator.clipboard.writeText("echo pasted $((8+1))\necho not run\n"));
    await win.press("Control+Shift+KeyV");
    await win.sees(terminal, "echo pasted $((8+1))");
    assert.equal(await terminal.getByText("pasted 9").count(), 0);
    await win.press("Enter");
    await win.sees(terminal, "pasted 9");

    // The right button has the same menu, unless a program takes the mouse; in that case, Shift with the right button
    // opens it.
    await terminal.locator(".xterm-screen").click({ button: "right" });
    await win.at("menu-paste").waitFor();
    await win.press("Escape");
    await win.at("menu-paste").waitFor({ state: "detached" });
    const mouse = (on) => `printf "\\033[?1000${on}"; echo mouse`;
    const wait = (text) => `${mouse("h")} ${text}; read line; ${mouse("l")}`;
    await win.type(terminal, `sh -c 'trap : INT; stty -echo; ${wait("$((1+2))")} $((4+4)); stty echo'`);
    await win.sees(terminal, "mouse 3");
    await terminal.locator(".xterm-screen").click({ button: "right" });
    assert.equal(await win.at("menu-paste").count(), 0);
    await terminal.locator(".xterm-screen").click({ button: "right", modifiers: ["Shift"] });
    await win.at("menu-paste").waitFor();
    await win.press("Escape");
    await win.at("menu-paste").waitFor({ state: "detached" });
    await win.terminalFocused();
    await win.press("Control+KeyC");
    await win.sees(terminal, "mouse 8");

    // Closing asks while a command runs.
    await win.type(terminal, "sh -c 'echo asleep $((5+6)); exec sleep 500'");
    await win.sees(terminal, "asleep 11");
    await win.press("Control+Shift+KeyW");
    await win.at("question-yes").getByText("End it and close").waitFor();
    await win.press("Escape");
    await win.at("question-yes").waitFor({ state: "detached" });
    await terminal.locator(".xterm-screen").click();
    await win.press("Control+KeyC");

    await win.menu(terminal, "rename");
    await win.at("pane-rename").fill("build");
    await win.press("Enter");
    await win.at("pane-title").getByText("build", { exact: true }).waitFor();

    // -> stays two characters, as the program printed them.
    const ligatures = (el) => getComputedStyle(el).fontVariantLigatures;
    assert.equal(await terminal.locator(".xterm-rows").evaluate(ligatures), "none");

    // Theme and size change on the spot: the shell gets its new size.
    await terminal.evaluate((el) => (el.dataset.mark = "same"));
    const background = () => terminal.locator(".xterm-scrollable-element").evaluate((el) => el.style.backgroundColor);
    const light = await background();
    await win.palette("dark theme");
    await page.waitForFunction(
      (light) => (document.querySelector(".xterm-scrollable-element")?.style.backgroundColor ?? light) !== light,
      light,
    );
    await win.type(terminal, "trap 'echo now $((COLUMNS < 1000)) columns' WINCH");
    await win.palette("larger terminal");
    await win.sees(terminal, "now 1 columns");
    assert.equal(await terminal.getAttribute("data-mark"), "same");

    // WebGL draws on a canvas. Another renderer takes its place if the graphics context is lost.
    const canvases = (n) =>
      page.waitForFunction(
        (n) =>
          [...document.querySelectorAll(".xterm-screen canvas")].filter((c) => c.getContext("webgl2")).length === n,
        n,
      );
    await win.leader("s");
    await win.at("settings-page-terminal").click();
    await win.at("webgl").click();
    await canvases(1);
    await page.evaluate(() => {
      for (const c of document.querySelectorAll(".xterm-screen canvas"))
        c.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
    });
    await canvases(0);
    await win.at("webgl").click(); // off again, because text on a canvas cannot be searched
    await win.at("settings-close").click();
    await win.sees(terminal, "pasted 9");

    // A link opens in a browser pane.
    const server = createServer((_request, answer) => answer.end("<title>followed</title>")).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      await win.type(terminal, `clear; echo http://127.0.0.1:${server.address().port}/followed`);
      const link = terminal.locator(".xterm-rows").getByText(/^http.*followed$/);
      await link.hover({ force: true });
      await terminal.locator(".xterm-cursor-pointer").waitFor();
      await link.click({ force: true });
      await win.at("pane-title").getByText("followed", { exact: true }).waitFor();
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }),
);

test("an end is shown and started again, a reload loses nothing, a restart offers", { timeout: limit(300_000) }, (t) =>
  withWindow(t, async (win, { page, home, program }) => {
    const first = await win.open("Control+Shift+KeyT");
    await win.type(first, "cd /usr/share; echo kept $((2+2))");
    await win.sees(first, "kept 4");
    const second = await win.open("Control+Shift+KeyD");

    // When a program ends, its exit code is shown. Restart starts it again below the old output.
    await win.type(second, "echo before $((5+5)); exit 3");
    await page.getByText("exit 3", { exact: true }).last().waitFor();
    await win.at("terminal-restart").click();
    await win.at("terminal-restart").waitFor({ state: "detached" });
    await win.type(second, "echo again $((6+6))");
    await win.sees(second, "again 12");
    await win.sees(second, "before 10");

    // Programs keep running while the page is reloaded, and a half-typed line is still there.
    await win.type(first, "read -r answer; echo got $answer");
    await win.type(second, "echo waits $((7+1))");
    await win.sees(second, "waits 8");
    await first.locator(".xterm-screen").click();
    await page.keyboard.type("half a ");
    await win.sees(first, "half a");
    await page.reload();
    await win.terminals(2);
    await win.sees(first, "kept 4");
    await win.sees(second, "before 10");
    await win.type(first, "line");
    await win.sees(first, "got half a line");

    // After a restart of Goalpost the text is back. A command that was running is typed again, but not run. A command
    // that had ended is not typed.
    await win.type(first, "sh -c 'echo started $((7+7)); exec sleep 1000'");
    await win.sees(first, "started 14");
    await program.end();
    const again = await startServe(home);
    try {
      await page.goto(again.url);
      await win.terminals(2);
      await win.groups(2);
      await first.getByText("as it was on").waitFor();
      await second.getByText("as it was on").waitFor();
      await win.sees(first, "started 14");
      await first.getByText("exec sleep 1000'").nth(1).waitFor(); // once above, once at the prompt
      await win.type(second, "echo fresh $((9+9))");
      await win.sees(second, "fresh 18");
      assert.equal(await first.getByText("started 14").count(), 1);
      assert.equal(await second.getByText("waits 8").count(), 1);
      // Only the user presses Enter.
      await first.locator(".xterm-screen").click();
      await win.press("Enter");
      await first.getByText("started 14").nth(1).waitFor();
    } finally {
      await again.program.end();
    }
  }),
);
