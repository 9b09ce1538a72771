// 50 MB of coloured log through a terminal pane, from Enter until its last line is
// in the rows that xterm draws; and the same bytes into an xterm with nothing around it.
import { createServer } from "node:http";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { row } from "./lib/figures.mjs";
import { colouredLog, marker } from "./lib/log.mjs";
import { withPage } from "./lib/page.mjs";
import { root } from "./lib/programs.mjs";

const size = 50e6;
const runs = 3;

export async function measure() {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-log-"));
  const log = colouredLog(size);
  const rate = (ms) => log.length / 1e6 / (ms / 1000);
  const pane = [];
  const bare = [];
  const file = join(dir, "log");
  // The terminal turns each end of line into two characters.
  writeFileSync(file, log.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  const server = await serve(log);
  try {
    await withPage(async (page) => {
      const id = await page.openTerminal();
      for (let i = 0; i < runs; i++) {
        pane.push(rate(await page.run(through, id, `clear; cat ${file}\r`, marker)));
        bare.push(rate(await page.run(bareXterm, xterm(), server.url, marker)));
      }
    });
  } finally {
    server.close();
    rmSync(dir, { recursive: true });
  }
  const unit = { unit: "MB/s", digits: 1, atLeast: true };
  return [
    row("50 MB through a terminal pane", pane, { ...unit, target: 10 }),
    row("50 MB into a bare xterm.js in the same page", bare, unit),
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

/** In the page: types a command and gives the time until the marker is drawn, in ms. */
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

/** In the page: the same for a terminal that is given the bytes out of memory. */
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
