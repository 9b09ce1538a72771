// Measures the time until the window can be used: from the start of the process to the page's call that connects it,
// and to the page's first picture on the screen.
import { Program } from "../lib/program.mjs";
import { openDisplay } from "./lib/display.mjs";
import { row } from "./lib/figures.mjs";
import { openHome } from "./lib/home.mjs";
import { Plain } from "./lib/plain.mjs";
import { goalpost } from "./lib/programs.mjs";

const starts = 7;

/** Measures one start, in ms after the process began. */
async function start(display, home) {
  const window = new Plain({ display, home });
  try {
    const painted = window.painted();
    const [opened, connected] = await Promise.all([window.said("window attached"), window.said("page connected")]);
    return { opened, connected, painted: await painted };
  } finally {
    await window.close();
  }
}

/** Measures how long the program takes to load its libraries and to start Go, before it does anything. */
async function loading() {
  const began = performance.now();
  const program = new Program(goalpost, ["version"]);
  await program.line((text) => text !== "");
  const took = performance.now() - began;
  await program.end();
  return took;
}

export async function measure() {
  const home = openHome();
  const display = await openDisplay();
  try {
    const first = await start(display, home);
    const all = [];
    const bare = [];
    for (let i = 0; i < starts; i++) {
      bare.push(await loading());
      all.push(await start(display, home));
    }
    const of = (name) => all.map((s) => s[name]);
    return [
      row("start: page connected", of("connected"), { target: 600 }),
      row("start: first picture on the screen", of("painted")),
      row("start: attached to the host process (before the window)", of("opened")),
      row("start: libraries loaded (`goalpost version`)", bare),
      row("start: page connected, empty data folder", [first.connected]),
    ];
  } finally {
    await display.close();
    home.remove();
  }
}
