// The file pane: how long a file of 20 MB takes from the call until its text is drawn, and the frames while it is
// scrolled.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counted } from "./drag.mjs";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";

const size = 20_000_000; // bytes
const opens = 9;
const runs = 5;
const turns = 120; // of the wheel in one run
const pause = "0.016"; // seconds between two of them

export async function measure() {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-bench-"));
  const path = join(dir, "long.ts");
  const line = (n) => `export const value${n} = compute(${n}, "some text", { factor: ${n * 3} }); // line ${n}\n`;
  const part = Array.from({ length: 1000 }, (_, n) => line(n)).join("");
  writeFileSync(path, part.repeat(Math.ceil(size / part.length)).slice(0, size));
  const rows = [];
  try {
    await withPage(async (page) => {
      const first = await page.run(open, path); // loads the code of the pane
      await page.run(close, first.id);
      const took = [];
      let id = "";
      for (let n = 0; n < opens; n++) {
        if (id) await page.run(close, id);
        const opened = await page.run(open, path);
        id = opened.id;
        took.push(opened.took);
      }
      rows.push(row("a file of 20 MB: first lines on the screen", took, { target: 300 }));
      rows.push(...(await scrolling(page)));
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  return rows;
}

/** Runs in the page: opens a file, and returns its pane and the ms until its first line was drawn. */
async function open(path) {
  const began = performance.now();
  const { id } = await window.go.main.Host.Call("FileAPI.Open", JSON.stringify([{ path, dir: "" }]));
  const text = () => document.querySelector(`[data-testid="file"][data-pane="${id}"] .cm-line`)?.textContent;
  await new Promise((resolve) => {
    // A timer that is set in a frame ends after the frame was drawn.
    const look = () => (text() ? setTimeout(resolve) : requestAnimationFrame(look));
    look();
  });
  return { id, took: performance.now() - began };
}

/** Runs in the page: closes the pane of a file, and waits until it is gone. */
async function close(id) {
  await window.go.main.Host.Call("FileAPI.Close", JSON.stringify([id]));
  const isOpen = () => document.querySelector(`[data-pane="${id}"]`) !== null;
  await new Promise((resolve) => {
    const look = () => (isOpen() ? requestAnimationFrame(look) : resolve());
    look();
  });
}

/** Turns the wheel of the real mouse over the file, down and up. */
async function scrolling(page) {
  const rates = { still: [], wheel: [] };
  const [x, y] = await page.run(() => {
    const box = document.querySelector(".cm-scroller").getBoundingClientRect();
    return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
  });
  await page.window.xdotool("mousemove", "--window", page.window.id, String(x), String(y));
  const top = () => page.run(() => document.querySelector(".cm-scroller").scrollTop);
  for (let n = 0; n < runs; n++) {
    rates.still.push(await counted(page, () => page.window.xdotool("sleep", String(turns * Number(pause)))));
    const from = await top();
    const button = n % 2 === 0 ? "5" : "4"; // down, up
    const all = Array.from({ length: turns }, () => ["click", button, "sleep", pause]).flat();
    rates.wheel.push(await counted(page, () => page.window.xdotool(...all)));
    if (Math.abs((await top()) - from) < 1000) throw new Error("the wheel did not scroll the file");
  }
  const unit = "1/s";
  return [
    row("frames a second, a file of 20 MB that nobody touches", rates.still, { unit }),
    row("– while it is scrolled with the wheel", rates.wheel, { unit, target: 55, atLeast: true }),
  ];
}
