import assert from "node:assert/strict";
import { complaints, withApp } from "./app.mjs";

/** The user's actions on one page with terminals. */
class WindowPage {
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

  /** Opens a terminal by its key. Resolves with the terminal, once it has a prompt and the focus. */
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

  /** Resolves when a terminal has the focus: it gets it a moment after a menu or a search has closed. */
  terminalFocused() {
    return this.page.waitForFunction(() => document.activeElement?.closest('[data-testid="terminal"]'));
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
    // The menu beside the tabs belongs to the front pane.
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

/** Moves the mouse over a word in the row of a terminal, and resolves with its point. */
export async function hoverWord(page, terminal, row, word) {
  const found = terminal.locator(".xterm-rows > div", { hasText: row });
  const at = await found.evaluate((el, word) => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const index = node.data.indexOf(word);
      if (index < 0) continue;
      const range = document.createRange();
      range.setStart(node, index + 2);
      range.setEnd(node, index + 3);
      const { x, y, width, height } = range.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    }
    throw new Error(`${word} is not in ${el.textContent}`);
  }, word);
  await page.mouse.move(at[0] + 1, at[1]);
  await page.mouse.move(...at);
  return at;
}

/** Runs one test with the page of a new data folder, after its welcome. */
export async function withWindow(t, use, env = {}) {
  const run = async (app) => {
    const win = new WindowPage(app.page);
    await win.at("skip-welcome").click();
    await use(win, app);
    assert.deepEqual(complaints(app.said), [], "the page reported errors");
  };
  await withApp(t, run, env);
}
