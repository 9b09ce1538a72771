// A browser pane in the real window, tested by the pixels of the display: a moving page is seen to move, and a click
// on the picture changes the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { limit } from "../lib/limits.mjs";
import { colourOf } from "../lib/pane.mjs";
import { startSite } from "../lib/site.mjs";
import { until, withWindow } from "./window.mjs";

/** Returns where the picture of the page is in the window: {x, y, width, height}. */
const canvasBox = () => {
  const canvas = document.querySelector('[data-testid="browser-canvas"]');
  const { x, y, width, height } = canvas?.getBoundingClientRect() ?? {};
  return width > 100 && canvas.dataset.drawn ? { x, y, width, height } : null;
};

const inAddress = () => document.activeElement?.getAttribute("data-testid") === "browser-address";

const allSelected = () => {
  const { selectionStart, selectionEnd, value } = document.activeElement;
  return selectionEnd - selectionStart === value.length;
};

test("a browser pane of the real window", { timeout: limit(600_000) }, async () => {
  const site = await startSite();
  try {
    await withWindow((w) => walk(w, site));
  } finally {
    site.close();
  }
});

async function walk(w, site) {
  await w.sees("welcome");
  await w.click("skip-welcome");
  await w.click("new-browser");
  await w.sees("browser-address");
  const go = async (name) => {
    await w.click("browser-address");
    await until("the cursor in the address bar", () => w.page(inAddress));
    await w.key("ctrl+a");
    await until("the whole address selected", () => w.page(allSelected));
    await w.type(`${site.url}/${name}.html`);
    await w.key("Return");
    await until(`a picture of ${name}`, () => w.page(canvasBox));
  };
  const near = (seen, wanted) => wanted.every((c, i) => Math.abs(c - seen[i]) < 22);
  // The current place of the pane: while its window and page open, its bars may still move it.
  let box;
  const lamp = (words) =>
    until(`the lamp for "${words}" on the display`, async () => {
      box = await w.page(canvasBox);
      return box && near(await w.pixel(box.x + box.width - 40, box.y + 40), colourOf(words));
    });

  await go("mouse");
  await lamp("Mouse");
  await w.clickAt(Math.round(box.x + 60), Math.round(box.y + 35));
  await lamp("clicked true");

  await go("moving");
  await lamp("Moving");
  // The moving box covers this place at some moments, and not at others.
  const place = [box.x + 50, box.y + 250];
  await until("the moving box on its left", async () => near(await w.pixel(...place), [0xcc, 0, 0x33]));
  await until("the moving box gone on", async () => near(await w.pixel(...place), [255, 255, 255]));
  const picture = () => w.pixels(box.x, box.y + 200, 600, 100);
  const first = await picture();
  await until("another picture", async () => !(await picture()).equals(first));
  assert.ok((await w.picture("moving")) > 20);

  // The wheel of a real mouse is its fifth button.
  await go("mouse");
  await lamp("Mouse");
  await w.clickAt(Math.round(box.x + 400), Math.round(box.y + 300), 4, 5);
  await lamp("scrolled");

  // A German keyboard: Z where others have Y, a third level, a key that waits for its letter.
  await go("keys");
  await lamp("Keys");
  await w.layout("de");
  await w.clickAt(Math.round(box.x + 60), Math.round(box.y + 34));
  await lamp("focus a");
  const [q, e, y, acute] = [24, 26, 29, 21];
  await w.key(String(y));
  await lamp("a=z");
  await w.held("ISO_Level3_Shift", String(q));
  await lamp("a=z@");
  await w.key(String(acute));
  await w.key(String(e));
  await lamp("a=z@é");
  await w.layout("us");

  // Text that is copied in the page can be pasted in the app, and the other way round.
  await w.key("ctrl+a");
  await w.key("ctrl+c");
  const clipboard = () => window.runtime.ClipboardGetText();
  await until("what was copied in the page", async () => (await w.page(clipboard)) === "z@é");
  const address = () => document.querySelector('[data-testid="browser-address"]').value;
  await w.click("browser-address");
  await until("the cursor in the address bar", () => w.page(inAddress));
  await w.key("ctrl+a");
  await w.key("ctrl+v");
  await until("what was copied in the page, in the address", async () => (await w.page(address)) === "z@é");
  await w.key("ctrl+a");
  await w.type("of the app");
  await w.key("ctrl+a");
  await w.key("ctrl+c");
  await until("what was copied in the app", async () => (await w.page(clipboard)) === "of the app");
  await w.clickAt(Math.round(box.x + 60), Math.round(box.y + 74));
  await lamp("focus b");
  await w.key("ctrl+v");
  await lamp("b=of the app");
}
