// Renders a program's bytes with xterm.js and the page's width tables. It reads one JSON object per line ({cols, rows,
// bytes}) and writes one ({lines, row, col, alt}).
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(new URL("../../../../frontend/package.json", import.meta.url));
const { Terminal } = require("@xterm/headless");
const { Unicode11Addon } = require("@xterm/addon-unicode11");

for await (const line of createInterface({ input: process.stdin })) {
  const { cols, rows, bytes } = JSON.parse(line);
  const term = new Terminal({ cols, rows, scrollback: 1000, allowProposedApi: true });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = "11";
  await new Promise((done) => term.write(Buffer.from(bytes, "base64"), done));
  const buffer = term.buffer.active;
  const lines = [];
  for (let y = 0; y < rows; y++) lines.push(buffer.getLine(buffer.baseY + y).translateToString(true).trimEnd());
  const seen = { lines, row: buffer.cursorY, col: Math.min(buffer.cursorX, cols - 1), alt: buffer.type === "alternate" };
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  term.dispose();
}
