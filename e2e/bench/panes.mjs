// Measures the cost of an additional terminal pane: the proportional set size of all processes with nine panes minus
// that with one, divided by eight. It is measured with a prompt only, and with a full scrollback.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../window/window.mjs";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";
import { memory, tree } from "./lib/processes.mjs";

const more = 8;
const lines = 12_000; // more than the scrollback has

export async function measure() {
  let rows;
  await withPage(async (page) => {
    const pid = Number(readFileSync(join(page.window.home, "pid"), "utf8"));
    const settled = () => settle(() => sizes(pid));
    await page.openTerminal();
    const one = await settled();
    const opened = [];
    for (let i = 0; i < more; i++) opened.push(await page.openTerminal());
    const idle = await settled();
    for (const id of opened) {
      await page.type(id, `seq -f 'line %g of a log that is long enough to look like one' ${lines}; cd /usr\r`);
      await until("the end of the lines", () => page.run(isIn, id, "/usr"));
    }
    const full = await settled();
    const share = (a) => (a - one.all) / more;
    rows = [
      row(`memory of a terminal pane, of ${more} more`, [share(idle.all)], { unit: "MB", digits: 1 }),
      row(`– with ${lines} lines printed`, [share(full.all)], { unit: "MB", digits: 1 }),
      ...Object.keys(full.parts).map((name) =>
        row(`– of it ${name}`, [(full.parts[name] - (one.parts[name] ?? 0)) / more], { unit: "MB", digits: 1 }),
      ),
    ];
  });
  return rows;
}

function sizes(pid) {
  const parts = memory(tree(pid)[0].pid);
  return { parts, all: Object.values(parts).reduce((a, b) => a + b, 0) };
}

/** Memory still changes after the work: measures until two values a second apart agree, or a time limit has passed. */
async function settle(look) {
  let last = look();
  for (let i = 0; i < 20; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const now = look();
    if (Math.abs(now.all - last.all) < 0.5) return now;
    last = now;
  }
  return last;
}

/** Reports whether a terminal's shell is in a folder: only one terminal is drawn, but each tab shows its folder. */
const isIn = (id, dir) =>
  document.querySelector(`[data-testid="pane-tab"][data-pane="${id}"] [data-testid="pane-dir"]`)?.textContent === dir;
