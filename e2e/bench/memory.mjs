// Idle memory: the proportional set size of all processes, ten seconds after the
// window has settled.
import { setTimeout } from "node:timers/promises";
import { until } from "../window/window.mjs";
import { openDisplay } from "./lib/display.mjs";
import { row } from "./lib/figures.mjs";
import { openHome } from "./lib/home.mjs";
import { Plain } from "./lib/plain.mjs";
import { memory, neighbours, tree } from "./lib/processes.mjs";

const starts = 3;
const idle = 10_000;

/** Measures the sizes with one terminal pane, and with a browser pane beside it. */
async function once(display, home) {
  const window = new Plain({ display, home });
  const running = (name) => () => tree(window.program.pid).some((p) => name.test(p.name));
  try {
    await window.painted();
    await window.press("ctrl+shift+t");
    await until("a shell", running(/^-?bash$/));
    await setTimeout(idle);
    const terminal = memory(window.program.pid);
    await window.press("ctrl+shift+b");
    await until("Chromium", running(/^chrom/));
    await setTimeout(idle);
    return { terminal, both: memory(window.program.pid) };
  } finally {
    await window.close();
  }
}

const sum = (sizes) => Object.values(sizes).reduce((a, b) => a + b, 0);

export async function measure() {
  const display = await openDisplay();
  const all = [];
  try {
    for (let i = 0; i < starts; i++) {
      const home = openHome();
      all.push(await once(display, home).finally(home.remove));
    }
  } finally {
    await display.close();
  }
  // The proportional set size of WebKit's libraries is smaller if other processes use them, too.
  const shared = `(${neighbours(/^WebKitWebProcess$/)} other WebKit pages on the machine)`;
  const parts = Object.keys(all[0].both);
  return [
    row(
      `idle memory, one terminal pane ${shared}`,
      all.map((a) => sum(a.terminal)),
      { unit: "MB", target: 250 },
    ),
    ...parts
      .filter((name) => name in all[0].terminal)
      .map((name) =>
        row(
          `– of it ${name}`,
          all.map((a) => a.terminal[name] ?? 0),
          { unit: "MB" },
        ),
      ),
    row(
      "idle memory, and one browser pane",
      all.map((a) => sum(a.both)),
      { unit: "MB" },
    ),
    ...parts.map((name) =>
      row(
        `– of it ${name}`,
        all.map((a) => a.both[name] ?? 0),
        { unit: "MB" },
      ),
    ),
  ];
}
