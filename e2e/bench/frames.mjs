// Measures the cost of pictures: frames per second and processor time for one, two and four browser panes beside each
// other with moving pages, the same for a still page, and the memory of each additional pane. A load of 100 means one
// core for the whole time.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { until } from "../window/window.mjs";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";
import { memory, processorTime } from "./lib/processes.mjs";

const settled = 3_000;
const watched = 10_000;
const counts = [1, 2, 4];

const head = `<!doctype html><title>frames</title><style>body { margin: 0; font: 14px sans-serif }
@keyframes go { to { transform: translateX(400px) rotate(180deg) } } .on { animation: go 1s linear infinite alternate }
div { width: 120px; height: 120px; background: #c03 }</style>`;
const lines = Array.from({ length: 60 }, (_, i) => `<p>Line ${i} of a page with some words on it.</p>`).join("");
const pages = { "/moving": `${head}<div class="on"></div>${lines}`, "/still": `${head}<div></div>${lines}` };

export async function measure() {
  const server = createServer((request, answer) => {
    answer.writeHead(200, { "Content-Type": "text/html" }).end(pages[request.url] ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${server.address().port}`;
  try {
    return [...(await measured(`${base}/still`, still)), ...(await measured(`${base}/moving`, moving))];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Opens panes beside each other until there are one, two and four, and lets `look` measure each time. */
async function measured(url, look) {
  const rows = [];
  await withPage(async (page) => {
    const pid = Number(readFileSync(join(page.window.home, "pid"), "utf8"));
    await page.openBrowser(url);
    for (const count of counts) {
      const pictures = () => page.run(() => document.querySelectorAll("canvas[data-drawn]").length);
      for (let n = await pictures(); n < count; n++) {
        await page.window.clickAt(...(await page.run(largest)));
        await page.window.key("ctrl+shift+d");
        await until(`${n + 1} pictures`, async () => (await pictures()) > n);
      }
      await setTimeout(settled);
      rows.push(...(await look(page, pid, count)));
    }
  });
  return rows;
}

async function moving(page, pid, count) {
  const { frames, spent } = await window(page, pid);
  const panes = `${count} moving ${count === 1 ? "pane" : "panes"}`;
  const [first, ...others] = frames.map((n) => n / (watched / 1000)).sort((a, b) => b - a);
  return [
    row(`${panes}: frames a second with the keyboard`, [first], { unit: "1/s" }),
    ...(others.length > 0 ? [row("– and of the others", others, { unit: "1/s" })] : []),
    ...load(spent),
  ];
}

let alone; // MB that a single still pane takes

async function still(page, pid, count) {
  if (count === 1) {
    alone = chromium(memory(pid));
    const { frames, spent } = await window(page, pid);
    return [
      row(`a still page, ${watched / 1000} s: frames`, frames, { unit: "frames", target: 0 }),
      ...load(spent),
      row("one pane: Chromium's memory", [alone], { unit: "MB" }),
    ];
  }
  const more = (chromium(memory(pid)) - alone) / (count - 1);
  return [row(`each pane more, of ${count}: Chromium's memory`, [more], { unit: "MB" })];
}

const chromium = (sizes) =>
  Object.entries(sizes)
    .filter(([name]) => name.startsWith("chrom"))
    .reduce((sum, [, size]) => sum + size, 0);

/** Measures for a while, and returns the frames drawn by each pane and the seconds of processor time by program. */
async function window(page, pid) {
  const before = processorTime(pid);
  const frames = await page.run(counting, watched);
  const after = processorTime(pid);
  const spent = {};
  for (const [name, seconds] of Object.entries(after)) spent[name] = seconds - (before[name] ?? 0);
  return { frames, spent };
}

const parts = {
  "the program (Go, and GTK that shows the window)": /^goalpost$/,
  Chromium: /^chrom/,
  "the page (WebKit)": /^WebKit/,
};

const load = (spent) =>
  Object.entries(parts).map(([part, name]) => {
    const seconds = Object.entries(spent).reduce((sum, [program, s]) => (name.test(program) ? sum + s : sum), 0);
    return row(`– load of ${part}`, [(100 * seconds) / (watched / 1000)], { unit: "%", digits: 1 });
  });

/** Runs in the page: counts the frames that each pane draws in `ms`. */
async function counting(ms) {
  const canvases = [...document.querySelectorAll("canvas[data-drawn]")];
  const drawn = canvases.map(() => 0);
  const watches = canvases.map((canvas, i) => {
    const watch = new MutationObserver((all) => (drawn[i] += all.length));
    watch.observe(canvas, { attributeFilter: ["data-frame"] });
    return watch;
  });
  await new Promise((resolve) => setTimeout(resolve, ms));
  watches.forEach((watch) => watch.disconnect());
  return drawn;
}

/** Runs in the page: returns the middle of the largest picture. */
function largest() {
  const boxes = [...document.querySelectorAll("canvas[data-drawn]")].map((c) => c.getBoundingClientRect());
  const box = boxes.sort((a, b) => b.width * b.height - a.width * a.height)[0];
  return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
}
