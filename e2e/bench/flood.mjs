// Measures 50 MB of coloured log in a terminal pane, from Enter until the last line is in the rows that xterm draws.
// The same bytes are written into an xterm without a pane. Both are measured in turns, because the speed of a machine
// changes from minute to minute.
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { row } from "./lib/figures.mjs";
import { colouredLog, marker } from "./lib/log.mjs";
import * as others from "./lib/others.mjs";
import { withPage } from "./lib/page.mjs";
import { root } from "./lib/programs.mjs";

const size = Number(process.env.BENCH_MB ?? 50) * 1e6;
const runs = 3;
const part = 0.2; // of the log for the other terminals, one of which is slow

export async function measure() {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-log-"));
  const log = colouredLog(size);
  const rate = (ms, length = log.length) => length / 1e6 / (ms / 1000);
  const pane = [];
  const bare = [];
  const rest = Object.fromEntries(others.names.map((name) => [name, []]));
  const file = join(dir, "log");
  // The terminal turns each end of line into two characters.
  writeFileSync(file, log.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  const short = join(dir, "short");
  writeFileSync(short, readFileSync(file).subarray(0, size * part));
  const server = await serve(log);
  try {
    await withPage(async (page) => {
      const id = await page.openTerminal();
      await page.focus(id);
      for (let i = 0; i < runs; i++) {
        pane.push(rate(await page.run(through, id, `clear; cat ${file}\r`, marker)));
        bare.push(rate(await page.run(bareXterm, xterm(), server.url, marker)));
      }
    });
    for (let i = 0; i < runs; i++) {
      for (const name of others.names) {
        const ms = await others.through(name, short);
        if (ms !== null) rest[name].push(rate(ms, size * part));
      }
    }
  } finally {
    server.close();
    rmSync(dir, { recursive: true });
  }
  const unit = { unit: "MB/s", digits: 1, atLeast: true };
  const what = `${size / 1e6} MB`;
  return [
    row(`${what} through a terminal pane`, pane, { ...unit, target: 10 }),
    row(`${what} into a bare xterm.js in the same page`, bare, unit),
    row(
      "– the pane's part of the bare one, run by run",
      pane.map((p, i) => p / bare[i]),
      { unit: "", digits: 2, atLeast: true, target: 0.9 },
    ),
    ...others.names
      .filter((name) => rest[name].length > 0)
      .map((name) => row(`${(size * part) / 1e6} MB through ${name}, for information`, rest[name], unit)),
  ];
}

async function serve(log) {
  const server = createServer((_request, answer) => {
    answer.writeHead(200, { "Access-Control-Allow-Origin": "*", "Content-Length": log.length });
    answer.end(log);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const xterm = () => readFileSync(`${root}frontend/node_modules/@xterm/xterm/lib/xterm.js`, "utf8");

/** Runs in the page: types a command, and returns the time until the marker is drawn, in ms. */
function through(id, command, marker) {
  const field = document.querySelector(`[data-pane="${id}"] textarea`);
  const rows = document.querySelector(`[data-pane="${id}"] .xterm-rows`);
  return new Promise((resolve) => {
    const began = performance.now();
    const observer = new MutationObserver(() => {
      if (performance.now() - began < 500 || !rows.textContent.includes(marker)) return;
      observer.disconnect();
      resolve(performance.now() - began);
    });
    observer.observe(rows, { childList: true, subtree: true, characterData: true });
    field.dispatchEvent(new InputEvent("input", { data: command, inputType: "insertText" }));
  });
}

/** Runs in the page: the same for a terminal that gets the bytes from memory. */
async function bareXterm(source, url, marker) {
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  const module = { exports: {} };
  new Function("module", "exports", source)(module, module.exports);
  const host = document.createElement("div");
  host.style.cssText = "position:fixed;inset:0;z-index:99;background:#000";
  document.body.append(host);
  const like = document.querySelector(".xterm-rows").children.length;
  const term = new module.exports.Terminal({
    cols: 160,
    rows: like,
    scrollback: 10_000,
    fontFamily: "monospace",
    fontSize: 13,
  });
  term.open(host);
  const rows = host.querySelector(".xterm-rows");
  const chunk = 32 * 1024;
  const inFlight = 4;
  const took = await new Promise((resolve) => {
    const began = performance.now();
    let at = 0;
    const next = () => {
      if (at >= bytes.length) return;
      term.write(bytes.subarray(at, (at += chunk)), next);
    };
    new MutationObserver(() => {
      if (rows.textContent.includes(marker)) resolve(performance.now() - began);
    }).observe(rows, { childList: true, subtree: true, characterData: true });
    for (let i = 0; i < inFlight; i++) next();
  });
  term.dispose();
  host.remove();
  return took;
}
