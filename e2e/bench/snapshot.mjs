// Snapshots of pages for a model, side by side with Playwright's ariaSnapshot for
// models: the same pages, the same Chromium, in turns.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openChromium } from "../lib/chromium.mjs";
import { median, percentile, row } from "./lib/figures.mjs";
import { pages } from "./lib/pages.mjs";
import { root } from "./lib/programs.mjs";

const rounds = Number(process.env.ROUNDS ?? 9);
const size = { width: 1280, height: 800 };

// The roles of elements that can be used. Both snapshots have these names for them.
const used = new Set(
  "button link textbox searchbox combobox listbox checkbox radio switch slider spinbutton tab menuitem".split(" "),
);

/**
 * Returns the usable elements in a snapshot and how often each occurs: by role and name, and links also by their
 * address, because Playwright omits the name of a link if its content shows it.
 */
function found(text, line, address) {
  const count = new Map();
  const add = (key) => count.set(key, (count.get(key) ?? 0) + 1);
  for (const match of text.matchAll(line)) {
    const [, role, name = ""] = match;
    if (!used.has(role)) continue;
    // Our snapshot truncates long names.
    const said = name.replace(/\s+/g, " ").trim().slice(0, 75);
    const to = role === "link" ? address(text, match) : undefined;
    add(said || !to ? `${role} ${said}` : `link to ${to}`);
    if (said && to) add(`link to ${to}`);
  }
  return count;
}
const ours = (text) =>
  found(
    text,
    /^ *(?:f\d+)?e\d+ ([a-z]+)(?: "((?:[^"\\]|\\.)*)")?.*$/gm,
    (_, match) => /-> "(.*)"$/.exec(match[0])?.[1],
  );
const theirs = (text) =>
  found(text, /^\s*- (?:')?([a-z]+)(?: "((?:[^"\\]|\\.)*)")?[^\n]*\[ref=[^\n]*$/gm, (all, match) =>
    match[2] ? undefined : /^\n\s*- \/url: (.*)/.exec(all.slice(match.index + match[0].length))?.[1],
  );

/** Returns how many of their elements are among ours. */
function shared(a, b) {
  let both = 0;
  let all = 0;
  for (const [key, n] of b) {
    all += n;
    both += Math.min(n, a.get(key) ?? 0);
  }
  if (process.env.MISSING)
    for (const [key, n] of b) if ((a.get(key) ?? 0) < n) console.error(`not found: ${key} ${n} ${a.get(key)}`);
  return { both, all };
}

export async function measure() {
  const server = createServer((request, answer) => {
    const name = decodeURIComponent(request.url.slice(1));
    const body = pages[name];
    answer.writeHead(body ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" }).end(body ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${server.address().port}/`;
  const folder = mkdtempSync(join(tmpdir(), "goalpost-bench-"));
  const binary = join(folder, "browser.test");
  execFileSync("go", ["test", "-c", "-o", binary, "./backend/panes/browser"], { cwd: root, stdio: "inherit" });
  const eyes = new Eyes(binary);
  const browser = await openChromium();
  const rows = [];
  try {
    const context = await browser.newContext({ viewport: size });
    const all = { ours: [], theirs: [], bytes: [], theirBytes: [] };
    for (const name of Object.keys(pages)) {
      const page = await context.newPage();
      await page.goto(base + encodeURIComponent(name));
      await eyes.ask({ open: base + encodeURIComponent(name) });
      const mine = [];
      const playwright = [];
      let text = "";
      let other = "";
      // The first round of each is a warm-up.
      for (let i = 0; i <= rounds; i++) {
        const began = performance.now();
        other = await page.ariaSnapshot({ mode: "ai" });
        const took = performance.now() - began;
        const answer = await eyes.ask({ look: true });
        text = answer.text;
        if (i === 0) continue;
        playwright.push(took);
        mine.push(answer.ms);
      }
      const { both, all: theirsAll } = shared(ours(text), theirs(other));
      const bytes = Buffer.byteLength(text);
      const theirBytes = Buffer.byteLength(other);
      rows.push(row(`snapshot, ${name}`, mine, { digits: 1, target: Number((0.2 * median(playwright)).toFixed(1)) }));
      rows.push(row(`– Playwright ${version(browser)} of the same`, playwright, { digits: 1 }));
      const { way, script, listeners, html } = (await eyes.ask({ parts: true })).parts;
      const each = `script ${script.toFixed(1)}, listeners ${listeners.toFixed(1)}, HTML ${html.toFixed(1)}`;
      rows.push({
        ...plain(`– its parts alone, with the way: ${each}; the way`, way, "ms"),
        n: 25,
        target: "",
        met: "",
      });
      rows.push(plain(`– ratio of the medians`, median(mine) / median(playwright), "", 0.2));
      rows.push(plain(`– bytes of the whole: ${bytes} of Playwright's ${theirBytes}`, bytes / theirBytes, "", 0.5));
      rows.push(
        plain(
          `– things to use that Playwright finds: ${both} of ${theirsAll} are found`,
          both / theirsAll,
          "",
          1,
          true,
        ),
      );
      all.ours.push(median(mine));
      all.theirs.push(median(playwright));
      all.bytes.push(bytes);
      all.theirBytes.push(theirBytes);
      await page.close();
    }
    const sum = (list) => list.reduce((a, b) => a + b, 0);
    rows.push(plain("all six pages: time", sum(all.ours) / sum(all.theirs), "", 0.2));
    rows.push(plain("all six pages: bytes", sum(all.bytes) / sum(all.theirBytes), "", 0.5));
    for (const name of ["6,000 elements", "form"]) {
      const page = await context.newPage();
      await page.goto(base + encodeURIComponent(name));
      await eyes.ask({ open: base + encodeURIComponent(name) });
      const clicks = (await eyes.ask({ click: 60 })).times;
      rows.push(row(`click by ref with settling and what changed, ${name}`, clicks, { digits: 1, target: 25 }));
      const aria = [];
      const shot = await page.ariaSnapshot({ mode: "ai" });
      const refs = [...shot.matchAll(/- button [^\n]*\[ref=(e\d+)\]/g)].map((m) => m[1]).slice(0, 20);
      await page.evaluate(() => addEventListener("submit", (e) => e.preventDefault()));
      for (let i = 0; i < 60 && refs.length > 0; i++) {
        const began = performance.now();
        await page.locator(`aria-ref=${refs[i % refs.length]}`).click();
        aria.push(performance.now() - began);
      }
      rows.push(row("– Playwright's click by aria-ref, without either", aria, { digits: 1 }));
      await page.close();
    }
  } finally {
    await eyes.close();
    await browser.close();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return rows;
}

const version = (browser) => `(Chromium ${browser.version().split(".")[0]})`;

const plain = (what, value, unit, target, atLeast = false) => ({
  what,
  median: value.toFixed(2),
  p95: "",
  unit,
  n: rounds,
  target: `${atLeast ? "≥" : "≤"} ${target}`,
  met: (atLeast ? value >= target : value <= target) ? "yes" : "no",
});

/** A process with a browser pane that reads one command per line and answers with one line. */
class Eyes {
  constructor(binary) {
    this.child = spawn(binary, ["-test.run", "^TestBench_Commands_AreAnswered$", "-measured"], {
      stdio: ["pipe", "pipe", "inherit"],
      cwd: join(root, "backend/panes/browser"),
    });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }
  async ask(order) {
    this.child.stdin.write(`${JSON.stringify(order)}\n`);
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done) throw new Error("the measured process ended");
      if (!value.startsWith("{")) continue;
      const answer = JSON.parse(value);
      if (answer.error) throw new Error(answer.error);
      return answer;
    }
  }
  async close() {
    this.child.stdin.end();
    await once(this.child, "exit");
  }
}
