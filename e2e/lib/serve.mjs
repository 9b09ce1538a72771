// The real program, served on a free port, and what is kept of a failure.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Program } from "./program.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
export const out = join(root, "e2e", "out");

/** `goalctl serve`, and the host process that owns what it shows. */
class Serve extends Program {
  #file;
  #env;

  constructor(file, env) {
    super(file, ["serve", "--listen", "127.0.0.1:0", "--print-json"], { env });
    this.#file = file;
    this.#env = env;
  }

  get #lock() {
    return join(this.#env.GOALPOST_HOME, "state", "host.lock");
  }

  get hostPid() {
    return Number(readFileSync(this.#lock, "utf8"));
  }

  /** Ends the server alone. */
  endServer() {
    return super.end("SIGINT");
  }

  /** Ends both. SIGKILL is a crash of both. */
  async end(signal, ms) {
    const code = await super.end(signal, ms);
    if (signal === "SIGKILL") process.kill(this.hostPid, signal);
    else if (existsSync(this.#lock)) spawnSync(this.#file, ["host", "stop", "--yes"], { env: this.#env });
    return code;
  }
}

/** Starts `goalctl serve` and waits until it prints its address. */
export async function startServe(home, env = {}, file = join(root, "bin", "goalctl")) {
  // A home of its own: shells in panes do not run the developer's profile.
  const program = new Serve(file, { ...process.env, HOME: home, GOALPOST_HOME: home, ...env });
  const line = await program.line((text) => text.startsWith("{"));
  return { program, url: JSON.parse(line).url };
}

/** What of the page's words is printed of a failure: where only the output is kept, they say most. */
const printedText = 3000;

/** Saves the picture, the console and the log of a test that failed, and prints what the page says. */
export async function keep(name, page, program, said) {
  mkdirSync(out, { recursive: true });
  const base = join(out, name.replace(/[^a-z0-9]+/gi, "-"));
  writeFileSync(`${base}.log`, `${program?.log ?? ""}\n--- page\n${said.join("\n")}\n`);
  try {
    await page?.screenshot({ path: `${base}.png` });
    const text = await page?.evaluate(() => document.body.innerText.replace(/\s*\n\s*/g, "\n"));
    if (text) console.error(`the page says:\n${text.slice(0, printedText)}`);
  } catch (error) {
    console.error(`no screenshot: ${error.message}`);
  }
  console.error(`picture and logs: ${base}.{png,log}`);
}
