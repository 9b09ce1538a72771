// Frames a second that the page draws while the user drags with the real pointer: a border between panes, and a pane by
// its title over the others. Beside them those of the same page that nobody touches.
import { until } from "../window/window.mjs";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";

const runs = 5;
const moves = 120; // of the pointer in one run
const pause = "0.016"; // seconds between two of them

export async function measure() {
  const rates = { still: [], border: [], pane: [] };
  await withPage(async (page) => {
    await page.openTerminal();
    for (let n = 0; n < 3; n++) await page.splitTerminal();
    await page.window.clickAt(...(await page.run(middleOf, ".xterm-screen"))); // finds the window
    for (let n = 0; n < runs; n++) {
      rates.still.push(await counted(page, () => page.window.xdotool("sleep", String(moves * Number(pause)))));
      rates.border.push(await counted(page, () => drag(page, ".dv-sash.dv-enabled", "border")));
      rates.pane.push(await counted(page, () => drag(page, ".dv-tab", "pane")));
    }
  });
  const unit = "1/s";
  return [
    row("frames a second, four terminals that nobody touches", rates.still, { unit }),
    row("– while a border between panes is dragged", rates.border, { unit, target: 57, atLeast: true }),
    row("– while a pane is dragged by its title", rates.pane, { unit, target: 57, atLeast: true }),
  ];
}

/** Counts the frames of the page while `act` runs, for each second. */
export async function counted(page, act) {
  await page.run(() => {
    const count = (window.benchFrames = { frames: 0, began: performance.now(), runs: true });
    const frame = () => {
      count.frames++;
      if (count.runs) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await act();
  return page.run(() => {
    const count = window.benchFrames;
    count.runs = false;
    return (1000 * count.frames) / (performance.now() - count.began);
  });
}

/** Drags an element to and fro with the real pointer. The pauses tell the press from a second click. */
async function drag(page, selector, what) {
  const [x, y] = await page.run(middleOf, selector);
  const way = (n) => ["mousemove_relative", "--", n % 60 < 30 ? "5" : "-5", n % 60 < 30 ? "2" : "-2", "sleep", pause];
  const all = Array.from({ length: moves }, (_, n) => way(n)).flat();
  await page.window.xdotool("mousemove", "--window", page.window.id, String(x), String(y), "sleep", "0.5");
  await page.run(() => {
    window.benchDragged = false;
    addEventListener("dragstart", () => (window.benchDragged = true), { once: true, capture: true });
  });
  await page.window.xdotool("mousedown", "1", "sleep", "0.3");
  const start = Array.from({ length: 12 }, () => ["mousemove_relative", "--", "6", "4", "sleep", "0.03"]).flat();
  await page.window.xdotool(...start);
  await until(`a dragged ${what}`, () => page.run(isDragging));
  await page.window.xdotool(...all);
  await page.window.xdotool("key", "Escape", "mouseup", "1");
}

/** Runs in the page: returns the middle of the first element that is drawn. */
function middleOf(selector) {
  const boxes = [...document.querySelectorAll(selector)].map((e) => e.getBoundingClientRect());
  const box = boxes.find((b) => b.width > 0 && b.height > 0);
  return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
}

/** Runs in the page: reports whether a border or a pane is being dragged. */
function isDragging() {
  return window.benchDragged || document.querySelector(".border-line") !== null;
}
