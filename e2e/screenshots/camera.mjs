// Takes pictures of a page in both themes, on a desktop and on a phone.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const themes = ["dark", "light"];
// The limit is for a clock or a picture of a page that never stops changing.
const mostLooks = 12;
const betweenLooks = 200;

export class Camera {
  #page;
  #folder;
  #session;
  count = 0;
  bytes = 0;

  constructor(page, folder) {
    this.#page = page;
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Writes NAME-dark.webp, NAME-light.webp and both with -phone. */
  async shoot(name) {
    this.#session ??= await this.#page.context().newCDPSession(this.#page);
    for (const [suffix, viewport] of [
      ["", desktop],
      ["-phone", phone],
    ]) {
      await this.#page.setViewportSize(viewport);
      for (const colorScheme of themes) {
        await this.#page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        const picture = await this.#still();
        writeFileSync(join(this.#folder, `${name}${suffix}-${colorScheme}.webp`), picture);
        this.count++;
        this.bytes += picture.length;
      }
    }
    await this.#page.setViewportSize(desktop);
    await this.#page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  }

  /** Returns a picture of the page once two pictures in a row are the same. */
  async #still() {
    await this.#page.evaluate(() => document.fonts.ready);
    // A new request cannot be answered for a moment, so that nobody answers it by accident.
    await this.#page.waitForFunction(() => !document.querySelector('[data-testid="ask-once"]:disabled'));
    let last = "";
    for (let i = 0; i < mostLooks; i++) {
      const { data } = await this.#session.send("Page.captureScreenshot", { format: "webp", quality: 75 });
      if (data === last) break;
      last = data;
      await pause(betweenLooks);
    }
    return Buffer.from(last, "base64");
  }
}
