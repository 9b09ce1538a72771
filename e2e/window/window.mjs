// The real window on a display of its own, driven by WebDriver, with real keys.
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { limit } from "../lib/limits.mjs";
import { freePort } from "../lib/port.mjs";
import { dwellers } from "../lib/processes.mjs";
import { Program } from "../lib/program.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = promisify(execFile);
export const out = join(root, "e2e", "out");

const patience = limit(60_000);

/** Calls `ask` again and again until its result is not falsy, for events without a signal. */
export async function until(what, ask, ms = patience) {
  const deadline = Date.now() + ms;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${ms} ms (last: ${last})`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The session of WebDriver: commands as HTTP requests. */
class Driver {
  constructor(port) {
    this.base = `http://127.0.0.1:${port}`;
  }

  async ask(method, path, body) {
    const answer = await fetch(this.base + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patience),
    });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }

  async open(binary) {
    const options = { "webkitgtk:browserOptions": { binary, args: [] } };
    const value = await this.ask("POST", "/session", { capabilities: { alwaysMatch: options } });
    this.session = `/session/${value.sessionId}`;
  }

  /** Runs a function in the page and returns its result. */
  page(fn, ...args) {
    return this.ask("POST", `${this.session}/execute/sync`, { script: `return (${fn})(...arguments)`, args });
  }
}

/**
 * Opens the window, passes it to `use`, and ends all processes by their pids. `prepare` gets the data folder before the
 * start; `first` is what the window shows first. A `managed` display has a window manager, without which nothing can
 * maximise a window.
 */
export async function withWindow(
  use,
  {
    width = 1440,
    height = 900,
    program = join(root, "bin", "goalpost"),
    env: more = {},
    prepare = () => {},
    first = "window",
    managed = false,
  } = {},
) {
  const home = mkdtempSync(join(tmpdir(), "goalpost-window-"));
  prepare(join(home, "data"));
  const pidFile = join(home, "pid");
  const ends = [() => rmSync(home, { recursive: true, force: true })];
  // WebKit's processes end after the window, and write to their home until then.
  ends.unshift(() => until("the end of all that lives there", () => dwellers(home).length === 0));
  ends.unshift(() => stopHost(program, home));
  mkdirSync(out, { recursive: true });
  let window;
  try {
    const screen = new Program("Xvfb", [
      "-displayfd",
      "1",
      "-screen",
      "0",
      `${width}x${height}x24`,
      "-nolisten",
      "tcp",
    ]);
    ends.unshift(() => screen.end());
    const display = `:${(await screen.line((text) => /^\d+$/.test(text))).trim()}`;
    const env = {
      ...process.env,
      ...more,
      DISPLAY: display,
      WAYLAND_DISPLAY: "",
      NO_AT_BRIDGE: "1",
      GOALPOST_HOME: join(home, "data"),
      // WebKit keeps the page's own storage in the user's folders.
      HOME: home,
      XDG_DATA_HOME: join(home, "share"),
      XDG_CACHE_HOME: join(home, "cache"),
      XDG_CONFIG_HOME: join(home, "config"),
      SMOKE_PID_FILE: pidFile,
      SMOKE_AUTOMATION: join(out, "automation.so"),
      SMOKE_PROGRAM: program,
    };
    window = new Window(display, home, env, ends);
    if (managed) {
      const manager = new Program("openbox", ["--sm-disable"], { env });
      ends.unshift(() => manager.end());
      await until("a window manager", () => run("xdotool", ["get_desktop"], { env }));
    }
    await window.open(first);
    await use(window);
  } catch (error) {
    if (window) {
      await window.picture("failed").catch((e) => console.error(`no picture: ${e.message}`));
    }
    console.error(window?.service?.log ?? "WebKitWebDriver was not started");
    throw error;
  } finally {
    for (const end of ends) await end();
  }
}

/** Ends the host process, which outlives the window. */
async function stopHost(program, home) {
  const env = { ...process.env, HOME: home, GOALPOST_HOME: join(home, "data") };
  await run(program, ["host", "stop", "--yes"], { env }).catch((error) => {
    if (!/no host process runs/.test(error.stderr)) throw error;
  });
}

/** Ends the window's process and waits until it is gone. */
async function endPid(file) {
  let pid;
  try {
    pid = Number(readFileSync(file, "utf8"));
  } catch {
    return; // the process was never started
  }
  const alive = () => {
    try {
      process.kill(pid, 0);
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };
  if (!alive()) return;
  process.kill(pid, "SIGTERM");
  try {
    await until("the window's end", () => !alive());
  } catch (error) {
    process.kill(pid, "SIGKILL");
    throw error;
  }
}

export class Window {
  constructor(display, home, env, ends) {
    Object.assign(this, { display, home, env, ends });
  }

  /** Starts the program under a WebDriver of its own, the first time or again, and waits until it shows `first`. */
  async open(first = "window") {
    const port = await freePort();
    const service = new Program("WebKitWebDriver", ["--host=127.0.0.1", `--port=${port}`], { env: this.env });
    this.ends.unshift(
      () => endPid(this.env.SMOKE_PID_FILE),
      () => service.end(),
    );
    this.service = service;
    this.driver = new Driver(port);
    this.id = undefined;
    await until("WebKitWebDriver", () => this.driver.ask("GET", "/status"));
    await this.driver.open(fileURLToPath(new URL("app.sh", import.meta.url)));
    await this.sees(first);
  }

  page(fn, ...args) {
    return this.driver.page(fn, ...args);
  }

  /** Calls a method of Go as the page does, such as "GoalAPI.Start". */
  call(method, ...args) {
    const call = (method, args) => window.go.main.Host.Call(method, args);
    return this.page(call, method, JSON.stringify(args));
  }

  /** Waits until the page shows an element with the test id. */
  sees(id) {
    return until(`"${id}" on the screen`, () =>
      this.page((id) => document.querySelector(`[data-testid="${id}"]`)?.getBoundingClientRect().width > 0, id),
    );
  }

  /** Waits until a dialog has the focus: an earlier key would reach the element under the dialog. */
  opens(id) {
    return until(`the focus in "${id}"`, () =>
      this.page((id) => Boolean(document.activeElement?.closest(`[data-testid="${id}"]`)), id),
    );
  }

  misses(id) {
    return until(`"${id}" gone`, () => this.page((id) => !document.querySelector(`[data-testid="${id}"]`), id));
  }

  async xdotool(...args) {
    await run("xdotool", args, { env: { ...process.env, DISPLAY: this.display } });
  }

  /** Presses the left button of the real pointer in the middle of an element, of its first line if it is in a text. */
  async click(id) {
    // A pane moves while the layout settles: wait until the element no longer moves, and is on top at its middle.
    let before;
    const [x, y] = await until(`"${id}" at rest`, async () => {
      const place = await this.page((id) => {
        const element = document.querySelector(`[data-testid="${id}"]`);
        const [r] = element?.getClientRects() ?? [];
        if (!r?.width) return null;
        const [x, y] = [Math.round(r.x + r.width / 2), Math.round(r.y + r.height / 2)];
        return element.contains(document.elementFromPoint(x, y)) ? [x, y] : null;
      }, id);
      const rests = place && String(place) === String(before);
      before = place;
      return rests && place;
    });
    await this.clickAt(x, y);
  }

  async clickAt(x, y, times = 1, button = 1) {
    this.id ??= await this.findId();
    const clicks = ["click", "--repeat", String(times), "--delay", "60", String(button)];
    await this.xdotool("mousemove", "--window", this.id, String(x), String(y), ...clicks);
  }

  /**
   * Finds the window's id once, at the first click. Later there are tooltips, which are windows with the same name.
   */
  async findId() {
    const env = { ...process.env, DISPLAY: this.display };
    const { stdout } = await run("xdotool", ["search", "--onlyvisible", "--name", "^Goalpost"], { env });
    const [id, ...others] = stdout.trim().split("\n");
    if (others.length > 0) throw new Error(`several windows at the start: ${stdout}`);
    return id;
  }

  key(...keys) {
    return this.xdotool("key", "--clearmodifiers", ...keys);
  }

  /** Presses a key, by its key code or its name, while another key is held. */
  async held(modifier, key) {
    await this.xdotool("keydown", modifier, "key", key, "keyup", modifier);
  }

  /** Sets the keyboard layout of a country on the display. */
  async layout(country) {
    await run("setxkbmap", ["-display", this.display, country]);
  }

  type(text) {
    return this.xdotool("type", "--delay", "15", text);
  }

  /** Returns a part of the display as it is now, with three bytes per pixel. */
  async pixels(x, y, width, height) {
    const env = { ...process.env, DISPLAY: this.display };
    const part = `${width}x${height}+${Math.round(x)}+${Math.round(y)}`;
    const args = ["-window", "root", "-crop", part, "-depth", "8", "rgb:-"];
    return (await run("import", args, { env, encoding: "buffer", maxBuffer: 64e6 })).stdout;
  }

  /** Returns the colour of one pixel of the display: [red, green, blue]. */
  async pixel(x, y) {
    return [...(await this.pixels(x, y, 1, 1))];
  }

  /** Writes a picture of the whole display, and returns how many colours it has. */
  async picture(name, file = join(out, `window-${name}.png`)) {
    const env = { ...process.env, DISPLAY: this.display };
    await run("import", ["-window", "root", file], { env });
    const { stdout } = await run("convert", [file, "-format", "%k", "info:"]);
    return Number(stdout);
  }
}
