// What people do with terminals: splits, zoom, drag, broadcast, search, links, look,
// exit and restart, a reload of the page, and a restart of Goalpost.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { complaints, startServe, withApp } from "./lib/app.mjs";

/** The hands of the user: on one page with terminals. */
class Desk {
  constructor(page) {
    this.page = page;
  }

  at(id) {
    return this.page.getByTestId(id);
  }

  press(keys) {
    return this.page.keyboard.press(keys);
  }

  async leader(key) {
    await this.press("Control+Shift+Space");
    await this.press(key);
  }

  /** Opens a terminal by its key; resolves with it, with the prompt there and the keyboard in it. */
  async open(keys) {
    const before = await this.at("terminal").evaluateAll((all) => all.map((el) => el.dataset.pane));
    await this.press(keys);
    const opened = await this.page.waitForFunction((before) => {
      const id = document.activeElement?.closest('[data-testid="terminal"]')?.dataset.pane;
      return before.includes(id) ? undefined : id;
    }, before);
    const terminal = this.page.locator(`[data-testid="terminal"][data-pane="${await opened.jsonValue()}"]`);
    await terminal.locator(".xterm-rows").getByText(/[#$]/).first().waitFor();
    return terminal;
  }

  terminals(n) {
    return this.page.waitForFunction((n) => document.querySelectorAll('[data-testid="terminal"]').length === n, n);
  }

  groups(n) {
    return this.page.waitForFunction((n) => document.querySelectorAll(".dv-groupview").length === n, n);
  }

  async type(terminal, text) {
    await terminal.locator(".xterm-screen").click();
    await this.page.keyboard.type(`${text}\n`);
  }

  sees(terminal, text) {
    return terminal.getByText(text).first().waitFor();
  }

  tab(terminal) {
    return terminal
      .getAttribute("data-pane")
      .then((id) => this.page.locator(`[data-testid="pane-tab"][data-pane="${id}"]`));
  }

  async menu(terminal, item) {
    const id = await terminal.getAttribute("data-pane");
    // The menu beside the tabs is that of the pane in front.
    await (await this.tab(terminal)).click();
    await this.page.locator(`[data-testid="pane-menu"][data-pane="${id}"]`).click();
    await this.at(`menu-${item}`).click();
  }

  async palette(words) {
    await this.press("Control+Shift+KeyP");
    await this.at("palette").waitFor();
    await this.page.keyboard.type(words);
    await this.press("Enter");
  }
}

async function withDesk(t, use) {
  await withApp(t, async (app) => {
    const desk = new Desk(app.page);
    await desk.at("skip-welcome").click();
    await use(desk, app);
    assert.deepEqual(complaints(app.said), [], "the page reported errors");
  });
}

test("terminals are split, zoomed, dragged and typed into together", { timeout: 300_000 }, (t) =>
  withDesk(t, async (desk, { page }) => {
    const first = await desk.open("Control+Shift+KeyT");
    await desk.type(first, "cd /usr/share && echo here $((40+2))");
    await desk.sees(first, "here 42");
    await desk.at("pane-dir").getByText("/usr/share").waitFor();

    // A split opens where the shell is.
    const second = await desk.open("Control+Shift+KeyD");
    await desk.type(second, "echo in $PWD.");
    await desk.sees(second, "in /usr/share.");

    // Nothing scrolls the terminal out of its pane, such as Tab to its field below what is shown.
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

    // Zoomed and back it is the same terminal, not a new one: by key, and by a double click.
    await second.evaluate((el) => (el.dataset.mark = "same"));
    const zoomed = page.getByText("show all panes");
    await desk.press("Control+Shift+Enter");
    await zoomed.waitFor();
    await desk.press("Control+Shift+Enter");
    await zoomed.waitFor({ state: "detached" });
    await (await desk.tab(second)).getByTestId("pane-title").dblclick();
    await zoomed.waitFor();
    await desk.press("Control+Shift+Enter");
    await zoomed.waitFor({ state: "detached" });
    assert.equal(await second.getAttribute("data-mark"), "same");

    // Broadcast: what is typed into one reaches both, until one leaves.
    await desk.leader("m");
    await desk.at("pane-broadcast").getByText("no other terminals").waitFor();
    await first.locator(".xterm-screen").click();
    await desk.leader("m");
    await desk.at("pane-broadcast").getByText("broadcast · 2").first().waitFor();
    await desk.type(first, "echo both $((20+3))");
    await desk.sees(first, "both 23");
    await desk.sees(second, "both 23");
    const broadcast = `[data-testid="pane-broadcast"][data-pane="${await first.getAttribute("data-pane")}"]`;
    await page.locator(broadcast).click();
    await desk.type(first, "echo alone $((5+5))");
    await desk.sees(first, "alone 10");
    assert.equal(await second.getByText("alone 10").count(), 0);

    // Dragged into the other place it becomes a tab there, and is still the same terminal.
    await (await desk.tab(second)).dragTo(first);
    await desk.groups(1);
    await desk.type(second, "echo moved $((3+4))");
    await desk.sees(second, "moved 7");
    assert.equal(await second.getAttribute("data-mark"), "same");
    await (await desk.tab(first)).click();
    await desk.sees(first, "alone 10");

    // The keyboard leaves a terminal, which takes Tab for itself.
    await first.locator(".xterm-screen").click();
    await desk.press("Control+Shift+Tab");
    await page.waitForFunction(() => document.activeElement?.querySelector('[data-testid="pane-tab"]'));
    await desk.press("Tab");
    await page.waitForFunction(() => !document.activeElement?.closest('[data-testid="terminal"]'));
  }),
);

test("a terminal is searched, followed, copied, renamed and looks as it is told to", { timeout: 300_000 }, (t) =>
  withDesk(t, async (desk, { page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const terminal = await desk.open("Control+Shift+KeyT");
    await desk.type(terminal, "for i in $(seq 400); do echo line $i of many; done; echo done $((1+1))");
    await desk.sees(terminal, "done 2");

    await desk.menu(terminal, "search");
    await desk.at("terminal-search").fill("line 17 of");
    await desk.press("Enter");
    await desk.sees(terminal, "line 17 of many"); // far above what was on the screen
    await desk.press("Escape");
    await desk.at("terminal-search").waitFor({ state: "detached" });
    await desk.press("Control+Shift+KeyF");
    await desk.at("terminal-search").waitFor();
    await desk.press("Escape");
    await desk.at("terminal-search").waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.closest('[data-testid="terminal"]'));

    // Copied from one line, pasted as one piece: what is pasted is not run by itself.
    await desk.type(terminal, "clear; echo unique$((6*7))word");
    await desk.sees(terminal, "unique42word");
    await terminal.locator(".xterm-rows").getByText("unique42word", { exact: true }).dblclick({ force: true });
    await desk.press("Control+Shift+KeyC");
    await page.waitForFunction(() => navigator.clipboard.readText().then((text) => text === "unique42word"));
    await page.evaluate(() => navigator.clipboard.writeText("echo pasted $((8+1))\necho not run\n"));
    await desk.press("Control+Shift+KeyV");
    await desk.sees(terminal, "echo pasted $((8+1))");
    assert.equal(await terminal.getByText("pasted 9").count(), 0);
    await desk.press("Enter");
    await desk.sees(terminal, "pasted 9");

    // The right button has the same menu, unless a program takes the mouse; then Shift and the right button do.
    await terminal.locator(".xterm-screen").click({ button: "right" });
    await desk.at("menu-paste").waitFor();
    await desk.press("Escape");
    await desk.at("menu-paste").waitFor({ state: "detached" });
    const mouse = (on) => `printf "\\033[?1000${on}"; echo mouse`;
    const ignore = "stty -echo; cat >/dev/null; stty echo";
    await desk.type(terminal, `sh -c 'trap : INT; ${mouse("h")} $((1+2)); ${ignore}; ${mouse("l")} $((4+4))'`);
    await desk.sees(terminal, "mouse 3");
    await terminal.locator(".xterm-screen").click({ button: "right" });
    assert.equal(await desk.at("menu-paste").count(), 0);
    await terminal.locator(".xterm-screen").click({ button: "right", modifiers: ["Shift"] });
    await desk.at("menu-paste").waitFor();
    await desk.press("Escape");
    await desk.at("menu-paste").waitFor({ state: "detached" });
    await desk.press("Control+KeyC"); // the keyboard is in the terminal again
    await desk.sees(terminal, "mouse 8");

    // Closing asks while a command runs.
    await desk.type(terminal, "sh -c 'echo asleep $((5+6)); exec sleep 500'");
    await desk.sees(terminal, "asleep 11");
    await desk.press("Control+Shift+KeyW");
    await desk.at("question-yes").getByText("End it and close").waitFor();
    await desk.press("Escape");
    await desk.at("question-yes").waitFor({ state: "detached" });
    await terminal.locator(".xterm-screen").click();
    await desk.press("Control+KeyC");

    await desk.menu(terminal, "rename");
    await desk.at("pane-rename").fill("build");
    await desk.press("Enter");
    await desk.at("pane-title").getByText("build", { exact: true }).waitFor();

    // Theme and size change on the spot: the shell hears of its new size.
    await terminal.evaluate((el) => (el.dataset.mark = "same"));
    const background = () => terminal.locator(".xterm-scrollable-element").evaluate((el) => el.style.backgroundColor);
    const light = await background();
    await desk.palette("dark theme");
    await page.waitForFunction(
      (light) => document.querySelector(".xterm-scrollable-element").style.backgroundColor !== light,
      light,
    );
    await desk.type(terminal, "trap 'echo now $((COLUMNS < 1000)) columns' WINCH");
    await desk.palette("larger terminal");
    await desk.sees(terminal, "now 1 columns");
    assert.equal(await terminal.getAttribute("data-mark"), "same");

    // WebGL draws on a canvas, and gives way when the machine takes it away.
    const canvases = (n) =>
      page.waitForFunction(
        (n) =>
          [...document.querySelectorAll(".xterm-screen canvas")].filter((c) => c.getContext("webgl2")).length === n,
        n,
      );
    await desk.leader("s");
    await desk.at("webgl").click();
    await canvases(1);
    await page.evaluate(() => {
      for (const c of document.querySelectorAll(".xterm-screen canvas"))
        c.getContext("webgl2")?.getExtension("WEBGL_lose_context")?.loseContext();
    });
    await canvases(0);
    await desk.at("webgl").click(); // off again: what is drawn on a canvas has no text to look for
    await desk.at("settings-close").click();
    await desk.sees(terminal, "pasted 9");

    // A link opens in a browser pane.
    const server = createServer((_request, answer) => answer.end("<title>followed</title>")).listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      await desk.type(terminal, `clear; echo http://127.0.0.1:${server.address().port}/followed`);
      const link = terminal.locator(".xterm-rows").getByText(/^http.*followed$/);
      await link.hover({ force: true });
      await terminal.locator(".xterm-cursor-pointer").waitFor();
      await link.click({ force: true });
      await desk.at("pane-title").getByText("followed", { exact: true }).waitFor();
    } finally {
      server.close();
      server.closeAllConnections();
    }
  }),
);

test("an end is shown and started again, a reload loses nothing, a restart offers", { timeout: 300_000 }, (t) =>
  withDesk(t, async (desk, { page, home, program }) => {
    const first = await desk.open("Control+Shift+KeyT");
    await desk.type(first, "cd /usr/share; echo kept $((2+2))");
    await desk.sees(first, "kept 4");
    const second = await desk.open("Control+Shift+KeyD");

    // An end shows its code; Restart begins again below.
    await desk.type(second, "echo before $((5+5)); exit 3");
    await page.getByText("exit 3", { exact: true }).last().waitFor();
    await desk.at("terminal-restart").click();
    await desk.at("terminal-restart").waitFor({ state: "detached" });
    await desk.type(second, "echo again $((6+6))");
    await desk.sees(second, "again 12");
    await desk.sees(second, "before 10");

    // What runs continues while the page is loaded again, and half a line that was typed is still there.
    await desk.type(first, "read -r answer; echo got $answer");
    await desk.type(second, "echo waits $((7+1))");
    await desk.sees(second, "waits 8");
    await first.locator(".xterm-screen").click();
    await page.keyboard.type("half a ");
    await desk.sees(first, "half a");
    await page.reload();
    await desk.terminals(2);
    await desk.sees(first, "kept 4");
    await desk.sees(second, "before 10");
    await desk.type(first, "line");
    await desk.sees(first, "got half a line");

    // After a restart the text is back, and what ran is offered, not run; what had ended is not.
    await desk.type(first, "sh -c 'echo started $((7+7)); exec sleep 1000'");
    await desk.sees(first, "started 14");
    await program.end();
    const again = await startServe(home);
    try {
      await page.goto(again.url);
      await desk.terminals(2);
      await desk.groups(2);
      await first.getByText("as it was on").waitFor();
      await second.getByText("as it was on").waitFor();
      await desk.sees(first, "started 14");
      await first.getByText("exec sleep 1000'").nth(1).waitFor(); // once above, once at the prompt
      await desk.type(second, "echo fresh $((9+9))");
      await desk.sees(second, "fresh 18");
      assert.equal(await first.getByText("started 14").count(), 1);
      assert.equal(await second.getByText("waits 8").count(), 1);
      // Enter is the user's.
      await first.locator(".xterm-screen").click();
      await desk.press("Enter");
      await first.getByText("started 14").nth(1).waitFor();
    } finally {
      await again.program.end();
    }
  }),
);
