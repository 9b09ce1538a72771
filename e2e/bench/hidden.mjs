// What hidden workspaces cost: memory and start with three terminals in one workspace, and with one terminal in each of
// three workspaces, of which two are hidden.
import { execFile } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { until } from "../window/window.mjs";
import { openDisplay } from "./lib/display.mjs";
import { median, row } from "./lib/figures.mjs";
import { openHome } from "./lib/home.mjs";
import { Plain } from "./lib/plain.mjs";
import { memory, tree } from "./lib/processes.mjs";

const run = promisify(execFile);
const terminals = 3;
const idle = 10_000;
const rounds = 3;
const starts = 5; // in each round

/** Opens the dialog of a new workspace by the keys of the palette, and presses `last`: its first field is the name. */
async function askForWorkspace(window, last) {
  const keys = (...args) => run("xdotool", ["sleep", "2", ...args], { env: window.env });
  await window.press("ctrl+shift+p");
  await keys("type", "new workspace");
  await keys("key", "Return");
  await keys("type", "more");
  await keys("key", last);
}

/** Another terminal, in the same workspace or in one of its own. Both open the palette and the dialog, which take memory. */
const another = {
  async here(window) {
    await askForWorkspace(window, "Escape");
    await run("xdotool", ["sleep", "2", "key", "ctrl+shift+t"], { env: window.env });
  },
  there: (window) => askForWorkspace(window, "ctrl+Return"),
};

/** Measures one data folder: its memory when idle, and its later starts. */
async function once(display, open) {
  const home = openHome();
  let window = new Plain({ display, home });
  const found = { memory: 0, connected: [], painted: [] };
  try {
    await window.painted();
    for (let n = 1; n <= terminals; n++) {
      await (n === 1 ? window.press("ctrl+shift+t") : open(window));
      const shells = () => tree(window.program.pid).filter((p) => /^-?bash$/.test(p.name)).length;
      await until(`${n} shells`, () => shells() === n);
    }
    await setTimeout(idle);
    found.memory = Object.values(memory(window.program.pid)).reduce((a, b) => a + b, 0);
    for (let n = 0; n < starts; n++) {
      await window.close();
      window = new Plain({ display, home });
      const painted = window.painted();
      found.connected.push(await window.said("page connected"));
      found.painted.push(await painted);
    }
    return found;
  } finally {
    await window.close();
    home.remove();
  }
}

export async function measure() {
  const display = await openDisplay();
  const one = [];
  const three = [];
  try {
    for (let n = 0; n < rounds; n++) {
      one.push(await once(display, another.here));
      three.push(await once(display, another.there));
    }
  } finally {
    await display.close();
  }
  const of = (all, name) => all.flatMap((a) => a[name]);
  return [
    ["idle memory", "memory", "MB"],
    ["start: page connected", "connected", "ms"],
    ["start: first picture on the screen", "painted", "ms"],
  ].flatMap(([what, name, unit]) => [
    row(`${what}, ${terminals} terminals in one workspace`, of(one, name), { unit }),
    row(`– in three workspaces, two of them hidden`, of(three, name), { unit }),
    row(`– as a part of the former`, [median(of(three, name)) / median(of(one, name))], {
      unit: "",
      digits: 2,
      target: 1.05,
    }),
  ]);
}
