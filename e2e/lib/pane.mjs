// A browser pane as a user uses it: by the pixels of its picture, the mouse on it and the keyboard. Nothing here
// accesses the page itself.

/** Returns the colour that say.js shows for a text. */
export function colourOf(words) {
  let hash = 7;
  for (const c of words) hash = (hash * 31 + c.codePointAt(0)) % 1000003;
  return [hash, Math.floor(hash / 6), Math.floor(hash / 36)].map((n) => 51 * (n % 6));
}

export class Pane {
  constructor(page, root, site) {
    this.page = page;
    this.root = root;
    this.site = site;
    this.canvas = root.getByTestId("browser-canvas");
  }

  at(id) {
    return this.root.getByTestId(id);
  }

  /** Types an address and waits until the page is loaded and drawn: its lamp shows its title, or `words`. */
  async go(url, title, words = title) {
    await this.comes(() => this.enter(url));
    await this.shows(title);
    await this.says(words);
  }

  /** Runs `act`, which opens another document of the site, and waits until a picture shows that it is loaded. */
  async comes(act) {
    const before = this.site.visits();
    await act();
    const canvas = await this.canvas.elementHandle();
    await this.page.waitForFunction(
      ([canvas, before]) => {
        if (!canvas.dataset.drawn) return false;
        const seen = canvas.getContext("2d").getImageData(canvas.width - 40, 110, 1, 1).data;
        const digits = [...seen.slice(0, 3)].map((c) => Math.round(c / 51));
        if (digits.some((d, i) => Math.abs(seen[i] - 51 * d) > 12)) return false;
        const since = (((digits[0] + 6 * digits[1] + 36 * digits[2] - before) % 216) + 216) % 216;
        return since > 0 && since < 40;
      },
      [canvas, before],
      { polling: 50 },
    );
  }

  async enter(text) {
    await this.at("browser-address").fill(text);
    await this.at("browser-address").press("Enter");
  }

  /** Waits for the title in the pane's tab. */
  async shows(title) {
    const id = await this.root.getAttribute("data-pane");
    await this.page.locator(`[data-testid="pane-tab"][data-pane="${id}"]`).getByText(title, { exact: true }).waitFor();
  }

  /** Waits until a pixel of the picture has a colour; x < 0 counts from the right. */
  async pixel(x, y, colour, what) {
    const canvas = await this.canvas.elementHandle();
    try {
      await this.page.waitForFunction(
        ([canvas, x, y, colour]) => {
          if (!canvas.dataset.drawn) return false;
          const at = x < 0 ? canvas.width + x : x;
          const seen = canvas.getContext("2d").getImageData(at, y, 1, 1).data;
          return colour.every((c, i) => Math.abs(c - seen[i]) < 22);
        },
        [canvas, x, y, colour],
        { polling: 50 },
      );
    } catch (error) {
      const seen = await canvas.evaluate(
        (c, [x, y]) => [...c.getContext("2d").getImageData(x < 0 ? c.width + x : x, y, 1, 1).data],
        [x, y],
      );
      throw new Error(`${what}: wanted ${colour}, the pixel is ${seen}`, {
        cause: error,
      });
    }
  }

  /** Waits until a colour is anywhere in the picture, in at least `least` pixels. */
  async holds(colour, least = 40) {
    const canvas = await this.canvas.elementHandle();
    await this.page.waitForFunction(
      ([canvas, colour, least]) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4) if (colour.every((c, at) => Math.abs(c - data[i + at]) < 30)) n++;
        return n >= least;
      },
      [canvas, colour, least],
      { polling: 50 },
    );
  }

  /** Waits until the page's lamp has the colour for a text. */
  says(words) {
    return this.pixel(-40, 40, colourOf(words), `the page never said "${words}"`);
  }

  /**
   * Where a place of the page is in the window, which may draw it smaller than it is. Waits until nothing covers it: a
   * message at the edge of the window would get the click. Messages stay as long as the pointer is over them.
   */
  async place(x, y) {
    const point = await this.pointOf(x, y);
    if (await this.page.locator("[data-sonner-toaster]:hover").count()) await this.page.mouse.move(0, 0);
    const canvas = await this.canvas.elementHandle();
    const top = ([canvas, [x, y]]) => document.elementFromPoint(x, y) === canvas;
    try {
      await this.page.waitForFunction(top, [canvas, point]);
    } catch (error) {
      const cover = await this.page.evaluate(
        ([x, y]) => document.elementFromPoint(x, y)?.outerHTML.slice(0, 300),
        point,
      );
      throw new Error(`the place ${x}, ${y} of the page is covered by ${cover}`, { cause: error });
    }
    return point;
  }

  async pointOf(x, y) {
    const box = await this.canvas.boundingBox();
    const scale = await this.canvas.evaluate((c, width) => {
      const isSharp = c.width === devicePixelRatio * Math.round(width); // then a pixel of it is not a CSS pixel
      return isSharp ? 1 : width / c.width;
    }, box.width);
    return [box.x + x * Math.min(1, scale), box.y + y * Math.min(1, scale)];
  }

  async click(x, y, options) {
    await this.page.mouse.click(...(await this.place(x, y)), options);
  }

  async move(x, y, options) {
    await this.page.mouse.move(...(await this.place(x, y)), options);
  }

  async drag(from, to) {
    await this.move(...from);
    await this.page.mouse.down();
    for (const step of [0.1, 0.4, 0.8, 1, 1]) {
      await this.move(from[0] + (to[0] - from[0]) * step, from[1] + (to[1] - from[1]) * step);
      await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    }
    await this.page.mouse.up();
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  press(keys) {
    return this.page.keyboard.press(keys);
  }

  /** Waits for a prompt of the page. */
  async asks(kind) {
    const box = this.root.locator(`[data-testid="question"][data-kind="${kind}"]`);
    await box.waitFor();
    return box;
  }
}
