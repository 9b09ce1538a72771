// The page of the real window, driven by the harness of the smoke test.
import { until, withWindow } from "../../window/window.mjs";

const longestScript = 55_000;

/** Opens the window on a data folder in which the first start is completed. */
export function withPage(use) {
  return withWindow(async (window) => {
    await window.driver.ask("POST", `${window.driver.session}/timeouts`, { script: longestScript });
    await window.sees("welcome");
    await window.click("skip-welcome");
    await window.sees("workspace");
    await use(new Page(window));
  });
}

export class Page {
  constructor(window) {
    this.window = window;
  }

  /** Runs a function, which may be async, in the page; the function can use only its arguments. */
  async run(fn, ...args) {
    const script = `const args = Array.prototype.slice.call(arguments), done = args.pop();
      (async () => (${fn})(...args))()
        .then((value) => done({ value }), (error) => done({ failed: error?.message ?? JSON.stringify(error) }));`;
    const session = this.window.driver.session;
    const out = await this.window.driver.ask("POST", `${session}/execute/async`, { script, args });
    if (out.failed !== undefined) throw new Error(`in the page: ${out.failed}`);
    return out.value;
  }

  /** Opens a terminal pane, waits for its prompt, and returns its id. */
  async openTerminal() {
    const { id } = await this.run(() =>
      window.go.main.Host.Call("TerminalAPI.Open", '[{"dir":"/","cols":80,"rows":24}]'),
    );
    await until("a prompt", () => this.run(promptOf, id));
    return id;
  }

  /** Opens a terminal beside the active one, so that both are on the screen. */
  async splitTerminal() {
    const terminals = () =>
      this.run(() => [...document.querySelectorAll('[data-testid="terminal"]')].map((t) => t.dataset.pane));
    const before = await terminals();
    await this.window.key("ctrl+shift+d");
    const id = await until("another terminal", async () => (await terminals()).find((id) => !before.includes(id)));
    await until("a prompt", () => this.run(promptOf, id));
    return id;
  }

  closeTerminal(id) {
    return this.run((id) => window.go.main.Host.Call("TerminalAPI.Close", JSON.stringify([id])), id);
  }

  /** Sends text to a terminal as an input method does. */
  type(id, text) {
    return this.run(typeInto, id, text);
  }

  /** Clicks into a pane with the real pointer: it becomes the active one. */
  async focus(id) {
    const [x, y] = await this.run((id) => {
      const { x, y, width, height } = document
        .querySelector(`[data-pane="${id}"] .xterm-screen`)
        .getBoundingClientRect();
      return [Math.round(x + width / 2), Math.round(y + height / 2)];
    }, id);
    await this.window.clickAt(x, y);
    await until("the keyboard in the pane", () =>
      this.run((id) => document.activeElement?.matches(`[data-pane="${id}"] textarea`), id),
    );
  }

  /** Opens a browser pane and waits for its first picture. */
  async openBrowser(url) {
    const { id } = await this.run(
      (url) => window.go.main.Host.Call("BrowserAPI.Open", JSON.stringify([{ url, width: 1024, height: 768 }])),
      url,
    );
    await until("a picture of the page", () => this.run(pictureOf, id));
    return id;
  }

  closeBrowser(id) {
    return this.run((id) => window.go.main.Host.Call("BrowserAPI.Close", JSON.stringify([id])), id);
  }
}

const promptOf = (id) => /[#$%>]/.test(document.querySelector(`[data-pane="${id}"] .xterm-rows`)?.textContent ?? "");

const pictureOf = (id) =>
  document.querySelector(`[data-testid="browser"][data-pane="${id}"] canvas`)?.dataset.drawn === "true";

function typeInto(id, text) {
  const field = document.querySelector(`[data-pane="${id}"] textarea`);
  field.focus();
  field.dispatchEvent(new InputEvent("input", { data: text, inputType: "insertText" }));
}
