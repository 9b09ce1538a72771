// The window exactly as a user starts it: no driver, no preloaded library.
import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { Program } from "../../lib/program.mjs";
import { until } from "../../window/window.mjs";
import { goalpost } from "./programs.mjs";

const run = promisify(execFile);
const someColours = 8;
const longestStart = 30_000;
const look = 3; // ms between two checks of the screen

export class Plain {
  constructor({ display, home }) {
    this.env = { ...process.env, DISPLAY: display.name, GOALPOST_HOME: home.path, GDK_BACKEND: "x11" };
    this.home = home;
    this.display = display;
    this.seen = home.log().length;
    this.began = Date.now();
    this.program = new Program(goalpost, [], { env: this.env });
  }

  /** Waits until the log has a message, and returns when it was logged, in ms after the start. */
  said(message) {
    const find = () =>
      this.home
        .log()
        .slice(this.seen)
        .find((line) => line.msg === message);
    return until(`"${message}" in the log`, find).then((line) => Date.parse(line.time) - this.began);
  }

  /** Waits until the page's own pixels are on the screen, and returns the time in ms after the start. */
  async painted() {
    // The bar at the bottom of the window contains text, which has more than two colours.
    const bar = 885;
    const colours = () => new Set(this.display.row(bar)).size;
    while (colours() <= someColours) {
      if (Date.now() - this.began > longestStart) throw new Error(`no window on the screen\n${this.program.log}`);
      await setTimeout(look);
    }
    return Date.now() - this.began;
  }

  /**
   * Presses a key as a user does: it goes to the window under the pointer, which is at a place without anything to
   * click.
   */
  async press(key) {
    await run("xdotool", ["mousemove", "1000", "890", "key", key], { env: this.env });
  }

  close() {
    return this.program.end();
  }
}
