// Other terminals under the same Xvfb, for information: the time from the first byte until the terminal answers a
// query that follows the last byte.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Program } from "../../lib/program.mjs";
import { openDisplay } from "./display.mjs";

const cols = 170;
const rows = 37;
const longest = 120_000;

const terminals = {
  xterm: ["xterm", "-geometry", `${cols}x${rows}`, "-sl", "10000", "-fa", "monospace", "-fs", "10", "-e"],
  kitty: [
    ...["kitty", "--config", "NONE", "-o", "remember_window_size=no", "-o", "scrollback_lines=10000"],
    ...["-o", `initial_window_width=${cols}c`, "-o", `initial_window_height=${rows}c`, "-o", "update_check_interval=0"],
    ...["-o", "linux_display_server=x11"],
  ],
};

export const names = Object.keys(terminals);

const installed = (name) => process.env.PATH.split(delimiter).some((dir) => existsSync(join(dir, name)));

/** Returns how long a terminal takes for a file, in ms; null if the terminal is not installed. */
export async function through(name, file) {
  if (!installed(name)) return null;
  const dir = mkdtempSync(join(tmpdir(), "goalpost-other-"));
  const display = await openDisplay();
  const script = join(dir, "script");
  const answer = join(dir, "took");
  writeFileSync(
    script,
    `stty -echo -icanon
printf '\\e[6n'; read -rs -d R _ # it is there
began=$EPOCHREALTIME
cat '${file}'
printf '\\e[6n'; read -rs -d R _
echo "$began $EPOCHREALTIME" > '${answer}'
`,
  );
  const [program, ...args] = terminals[name];
  const env = { ...process.env, DISPLAY: display.name, HOME: dir, XDG_RUNTIME_DIR: dir, LC_ALL: "C.UTF-8" };
  delete env.WAYLAND_DISPLAY;
  const terminal = new Program(program, [...args, "bash", "--norc", script], { env });
  try {
    await terminal.ended(longest);
    if (!existsSync(answer)) throw new Error(`${name} showed nothing\n${terminal.log}`);
    const [began, ended] = readFileSync(answer, "utf8").split(" ").map(Number);
    return (ended - began) * 1000;
  } finally {
    await terminal.end();
    await display.close();
    rmSync(dir, { recursive: true, force: true });
  }
}
