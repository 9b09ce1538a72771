// A program that a test starts, with all of its output. It is ended by its pid.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { limit } from "./limits.mjs";

// Only reached if something hangs: a busy machine takes a long time to start and to end a program.
const patience = limit(60_000);

export class Program {
  #child;
  #ended;
  #waiting = [];
  #rest = "";
  lines = [];
  log = "";

  constructor(file, args, options = {}) {
    this.name = [file, ...args].join(" ");
    this.#child = spawn(file, args, {
      stdio: ["ignore", "pipe", "pipe"],
      ...options,
    });
    this.#ended = once(this.#child, "close").catch((error) => {
      this.log += `${error}\n`;
    });
    this.#child.stdout.setEncoding("utf8").on("data", (text) => this.#take(text));
    this.#child.stderr.setEncoding("utf8").on("data", (text) => (this.log += text));
  }

  get pid() {
    return this.#child.pid;
  }

  #take(text) {
    this.log += text;
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    this.lines.push(...lines);
    this.#waiting = this.#waiting.filter((look) => !look());
  }

  /** Returns the first line of standard output that fits, including earlier lines. */
  line(fits, ms = patience) {
    return this.#within(`${this.name} did not say what was expected`, ms, (resolve) => {
      const look = () => {
        const found = this.lines.find(fits);
        if (found !== undefined) resolve(found);
        return found !== undefined;
      };
      if (!look()) this.#waiting.push(look);
    });
  }

  #within(what, ms, begin) {
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`${what} (${why})\n${this.log}`));
      const timer = setTimeout(() => fail(`after ${ms} ms`), ms);
      const done = (value) => {
        clearTimeout(timer);
        resolve(value);
      };
      void this.#ended.then(() => {
        clearTimeout(timer);
        fail(`it ended with ${this.#child.exitCode ?? this.#child.signalCode}`);
      });
      begin(done);
    });
  }

  /** Waits for the end of the program. */
  ended(ms = patience) {
    return this.#within(`${this.name} did not end`, ms, () => undefined).catch((error) => {
      if (this.#child.exitCode === null && this.#child.signalCode === null) throw error;
    });
  }

  /** Asks the program to end, and kills it if it does not. Resolves with the exit code or the signal. */
  async end(signal = "SIGTERM", ms = patience) {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), ms);
    await this.#ended;
    clearTimeout(timer);
    return this.#child.exitCode ?? this.#child.signalCode;
  }
}
