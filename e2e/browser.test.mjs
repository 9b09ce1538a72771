// Tests browser panes as a user uses them: with the pixels of the picture, the mouse on it and the keyboard. All cases
// use one program with one Chromium.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { Pane } from "./lib/pane.mjs";
import { descendants, kill } from "./lib/processes.mjs";
import { keep } from "./lib/serve.mjs";
import { startSite } from "./lib/site.mjs";
import { until } from "./window/window.mjs";

test("browser panes", { timeout: limit(1_200_000) }, async (t) => {
  const site = await startSite();
  // A desktop whose program for opening files records what it should open.
  const desktop = mkdtempSync(join(tmpdir(), "goalpost-desktop-"));
  writeFileSync(join(desktop, "xdg-open"), `#!/bin/sh\necho "$1" >>"${desktop}/opened"\n`, { mode: 0o755 });
  const opened = () => (existsSync(join(desktop, "opened")) ? readFileSync(join(desktop, "opened"), "utf8") : "");
  try {
    await withApp(t, (app) => walk(t, { ...app, opened }, site), {
      PATH: `${desktop}:${process.env.PATH}`,
      DISPLAY: process.env.DISPLAY || ":none",
    });
  } finally {
    site.close();
    rmSync(desktop, { recursive: true, force: true });
  }
});

async function walk(t, { page, home, url, program, said, opened }, site) {
  mkdirSync(join(home, "Downloads"));
  const size = { width: 960, height: 740 }; // larger pictures take more time, and show no more
  await page.setViewportSize(size);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByTestId("skip-welcome").click();
  await page.getByTestId("new-browser").click();
  await page.getByTestId("browser").waitFor();
  const tabs = page.getByTestId("pane-tab");
  const pane = new Pane(page, page.getByTestId("browser").first(), site);
  const at = (id) => pane.at(id);
  const only = process.env.GOALPOST_CASE;
  let ran = 0;
  const it = (name, f) => {
    if (only && !name.includes(only)) return undefined;
    return t.test(name, { timeout: limit(180_000) }, async () => {
      try {
        await f();
        ran++;
      } catch (error) {
        await keep(`browser ${name}`, page, program, said);
        throw error;
      }
    });
  };
  const fixture = (name) => `${site.url}/${name}.html`;

  // Addresses and history.
  await it("an address is opened and its picture is shown", async () => {
    await pane.go(fixture("second"), "Second", "opened");
    await pane.says("opened");
    await pane.pixel(5, 300, [0x22, 0x44, 0x66], "the page's background");
  });
  await it("a bare host and port is an address", async () => {
    await pane.go(fixture("mouse").replace("http://", ""), "Mouse");
  });
  for (const address of [
    "file:///etc/passwd",
    "chrome://settings",
    "devtools://devtools",
    "view-source:http://127.0.0.1",
  ]) {
    await it(`${address.split(":")[0]}: is refused`, async () => {
      await pane.enter(address);
      await page
        .getByText(/address refused/)
        .first()
        .waitFor();
      assert.match(await pane.root.getAttribute("data-url"), /mouse|second/);
      await page
        .getByText(/address refused/)
        .first()
        .click({ trial: false })
        .catch(() => undefined);
    });
  }
  await it("words are searched for only where the user has said with what", async () => {
    await pane.enter("two words");
    await page.getByTestId("search-engine-none").check();
    await page.getByTestId("search-save").click();
    await page.getByTestId("search-choice").waitFor({ state: "detached" });
    await pane.enter("two words");
    await page
      .getByText(/no search engine is set/)
      .first()
      .waitFor();
    await openSettings(page, "browser");
    await page.getByTestId("search-engine").selectOption("custom");
    await page.getByTestId("search-page").fill(`${site.url}/search?q=%s`);
    await page.getByTestId("search-page").press("Enter");
    await savedSettings(home, (s) => s.search_page === `${site.url}/search?q=%s`);
    await page.getByTestId("settings-close").click();
    await at("browser-address").click();
    await pane.press("Control+A");
    await pane.type("Zoë & two words");
    await pane.press("Enter");
    await pane.says("Zoë & two words");
    await pane.enter("? 127.0.0.1");
    await pane.says("127.0.0.1");
    assert.deepEqual(site.searches, ["Zoë & two words", "127.0.0.1"], "something was sent before Enter");
  });
  await it("the program's own port is refused", async () => {
    await pane.enter(new URL(url).origin);
    await page
      .getByText(/Goalpost itself/)
      .first()
      .waitFor();
  });
  await it("a link is followed, and back and forward lead there again", async () => {
    await pane.go(fixture("mouse"), "Mouse");
    await pane.click(60, 195);
    await pane.says("Two");
    await at("browser-back").click();
    await pane.says("Mouse");
    await at("browser-forward").click();
    await pane.says("Two");
  });
  await it("the side buttons of the mouse go back and forward", async () => {
    await pane.go(fixture("mouse"), "Mouse");
    await pane.click(60, 195);
    await pane.says("Two");
    const outer = await page.context().newCDPSession(page);
    const [x, y] = await pane.place(300, 300);
    const side = async (button) => {
      for (const type of ["mousePressed", "mouseReleased"]) {
        await outer.send("Input.dispatchMouseEvent", {
          type,
          x,
          y,
          button,
          clickCount: 1,
        });
      }
    };
    await side("back");
    await pane.says("Mouse");
    await side("forward");
    await pane.says("Two");
    await outer.detach();
  });
  await it("a server that is down is reported, and Reload comes back", async () => {
    await pane.enter("http://127.0.0.1:1/");
    await pane.root
      .getByText(/nothing listens there|does not open this port|could not be loaded/)
      .first()
      .waitFor();
    await pane.go(fixture("mouse"), "Mouse");
  });
  await it("a page that does not come can be stopped", async () => {
    await pane.enter(`${site.url}/slow`);
    await at("browser-stop").click();
    await at("browser-reload").waitFor();
    site.release();
    await pane.go(fixture("second"), "Second", "opened"); // until now the tab showed "Mouse"
    await pane.says("opened");
  });

  // The mouse.
  await it("a click is a real click", async () => {
    await pane.go(fixture("mouse"), "Mouse");
    await pane.click(60, 35);
    await pane.says("clicked true");
  });
  await it("a double click", async () => {
    await pane.click(60, 75, { clickCount: 2 });
    await pane.says("double");
  });
  await it("the middle button", async () => {
    await pane.click(60, 115, { button: "middle" });
    await pane.says("middle 1");
  });
  await it("moving onto something", async () => {
    await pane.move(60, 130);
    await pane.move(60, 155);
    await pane.says("entered");
  });
  await it("a click with Shift held", async () => {
    await page.keyboard.down("Shift");
    await pane.click(60, 355);
    await page.keyboard.up("Shift");
    await pane.says("shift click");
  });
  await it("the wheel scrolls", async () => {
    await pane.move(400, 300);
    await page.mouse.wheel(0, 400);
    await pane.says("scrolled");
    await pane.press("F5"); // because the next case opens another page
  });
  await it("the pointer takes the page's shape", async () => {
    await pane.go(fixture("fields"), "Fields");
    for (const [x, y, shape] of [
      [40, 390, "grab"],
      [40, 268, "pointer"],
      [60, 470, "text"],
    ]) {
      await pane.move(x, y);
      await pane.root.locator(`[data-testid="browser-canvas"][data-cursor="${shape}"]`).waitFor();
    }
  });
  await it("something is dragged and dropped", async () => {
    await pane.drag([50, 510], [200, 510]);
    await pane.says("dropped dragged");
  });
  await it("the size follows the pane", async () => {
    await pane.go(fixture("mouse"), "Mouse");
    await page.setViewportSize({ width: 860, height: 660 });
    await pane.says("resized");
    await page.setViewportSize(size);
  });

  // The keyboard.
  await it("typing", async () => {
    await pane.go(fixture("keys"), "Keys");
    await pane.click(60, 34);
    await pane.type("Hello, World");
    await pane.says("a=Hello, World");
  });
  await it("letters that no key has", async () => {
    await pane.press("Control+A");
    await page.keyboard.insertText("Zoë 漢 é");
    await pane.says("a=Zoë 漢 é");
  });
  await it("Ctrl+A and Backspace edit", async () => {
    await pane.press("Control+A");
    await pane.press("Backspace");
    await pane.says("a=");
  });
  await it("an input method writes", async () => {
    const outer = await page.context().newCDPSession(page);
    await pane.click(60, 74);
    for (const text of ["k", "か", "かん"]) {
      await outer.send("Input.imeSetComposition", {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    }
    await pane.says("b=かん");
    await outer.send("Input.insertText", { text: "漢" });
    await pane.says("composed 漢");
    await outer.detach();
  });
  await it("Tab goes from field to field", async () => {
    await pane.press("Tab");
    await pane.says("focus c");
  });
  await it("keys of the page's own", async () => {
    await pane.press("F2");
    await pane.says("F2");
    await pane.press("Control+b");
    await pane.says("ctrl b");
  });
  await it("what was copied outside is pasted", async () => {
    await page.evaluate(() => navigator.clipboard.writeText("from outside"));
    await pane.click(60, 34);
    await pane.press("Control+V");
    await pane.says("a=from outside");
  });
  await it("what is copied inside reaches the clipboard", async () => {
    await pane.press("Control+A");
    await pane.type("from inside");
    await pane.says("a=from inside");
    await pane.press("Control+A");
    await pane.press("Control+C");
    await page.waitForFunction(async () => (await navigator.clipboard.readText()) === "from inside", undefined, {
      polling: 100,
    });
  });

  // Dialogs.
  await it("an alert", async () => {
    await pane.click(60, 194);
    const box = await pane.asks("alert");
    await box.getByText("Hello", { exact: true }).waitFor();
    await pane.press("Enter");
    await pane.says("alerted");
  });
  await it("a confirm, Cancel and OK", async () => {
    await pane.click(60, 234);
    await (await pane.asks("confirm")).getByTestId("question-dismiss").click();
    await pane.says("confirmed false");
    await pane.click(60, 234);
    await (await pane.asks("confirm")).getByTestId("question-accept").click();
    await pane.says("confirmed true");
  });
  await it("a prompt", async () => {
    await pane.click(60, 274);
    const box = await pane.asks("prompt");
    await box.getByTestId("question-input").fill("Zoë");
    await pane.press("Enter");
    await pane.says("prompted Zoë");
  });
  await it("a permission is blocked", async () => {
    await pane.click(60, 354);
    await (await pane.asks("permission")).getByTestId("question-dismiss").click();
    await pane.says("NotAllowedError");
  });
  await it("a permission is allowed", async () => {
    await pane.click(60, 314);
    await (await pane.asks("permission")).getByTestId("question-accept").click();
    await pane.says("permission granted");
  });
  await it("what was allowed is blocked and asked again, where the page is from", async () => {
    const choose = async (state) => {
      await at("site-button").click();
      await pane.root.locator('[data-testid="site"][data-came="here"]').waitFor();
      await pane.root.locator('[data-testid="site-permission"][data-name="notifications"]').selectOption(state);
      await at("site-close").click();
      await pane.go(fixture("keys"), "Keys");
      await pane.click(60, 314);
    };
    await choose("block");
    await pane.says("permission denied");
    await choose("ask");
    await (await pane.asks("permission")).getByTestId("question-accept").click();
    await pane.says("permission granted");
  });
  await it("a page that may read the clipboard reads what was copied in pages, not the user's own", async () => {
    await page.evaluate(() => navigator.clipboard.writeText("the user's own"));
    await at("site-button").click();
    await pane.root.locator('[data-testid="site-permission"][data-name="clipboard-read"]').selectOption("allow");
    await at("site-close").click();
    await pane.click(60, 34);
    await pane.type("of a page");
    await pane.press("Control+A");
    await pane.press("Control+C");
    await page.waitForFunction(async () => (await navigator.clipboard.readText()) === "of a page", undefined, {
      polling: 100,
    });
    await page.evaluate(() => navigator.clipboard.writeText("the user's own"));
    await pane.click(60, 354);
    await pane.says("read of a page");
  });
  await it("what a site has stored is counted and forgotten", async () => {
    await pane.enter(`${site.url}/cookie`);
    await pane.says("nobody");
    await at("site-button").click();
    await pane.root.locator('[data-testid="site-cookies"][data-count="1"]').waitFor();
    await at("site-clear").click();
    await page.getByTestId("question-yes").click();
    await pane.root.locator('[data-testid="site-cookies"][data-count="0"]').waitFor();
    await pane.comes(() => at("site-reload").click());
    await pane.says("nobody"); // before, it was "who=ann"
    await pane.comes(() => pane.press("F5"));
    await pane.says("who=ann");
    await at("site-button").click();
    await at("site-clear").click();
    await page.getByTestId("question-yes").click();
    await at("site-reload").waitFor();
    await at("site-close").click();
  });
  await it("leaving is asked, staying and going", async () => {
    await pane.go(fixture("leave"), "Leave");
    await pane.click(40, 18);
    await pane.type("x");
    await at("browser-address").fill(fixture("two"));
    await at("browser-address").press("Enter");
    await (await pane.asks("leave")).getByTestId("question-dismiss").click();
    await pane.root.getByTestId("question").waitFor({ state: "detached" });
    assert.match(await pane.root.getAttribute("data-url"), /leave/);
    await pane.enter(fixture("two"));
    await (await pane.asks("leave")).getByTestId("question-accept").click();
    await pane.shows("Two");
  });
  await it("a server's login", async () => {
    await pane.enter(`${site.url}/vault`);
    const box = await pane.asks("login");
    await box.getByText("The vault").waitFor();
    await box.getByTestId("question-user").fill("ann");
    await box.getByTestId("question-password").fill("secret");
    await pane.press("Enter");
    await pane.says("inside");
  });
  await it("a login is kept and filled in again", async () => {
    await pane.go(fixture("login"), "Login");
    await pane.click(60, 34);
    await pane.type("ann");
    await pane.press("Tab");
    await pane.type("let me in");
    await pane.says("ann:let me in");
    await pane.press("Enter");
    await pane.says("opened");
    await pane.root.locator('[data-testid="save-login"][data-user="ann"]').getByTestId("save-login-yes").click();
    await pane.root.getByTestId("save-login").waitFor({ state: "detached" });
    await pane.go(fixture("login"), "Login");
    await at("browser-menu").click();
    await page.getByTestId("menu-logins").click();
    await at("login").and(page.locator('[data-user="ann"]')).click();
    await pane.says("ann:let me in");
    // The same machine has another origin under another name.
    await pane.go(fixture("login").replace("127.0.0.1", "localhost"), "Login");
    await at("browser-menu").click();
    await page.getByTestId("menu-logins").click();
    await at("logins").getByText("No saved logins").waitFor();
    await at("logins-close").click();
  });
  await it("a certificate that is not valid", async () => {
    await pane.enter(`${site.unproven}/second.html`);
    await (await pane.asks("certificate")).getByTestId("question-dismiss").click();
    await pane.root.getByTestId("question").waitFor({ state: "detached" });
    await pane.root.getByText(/certificate is not valid/).waitFor();
    await pane.enter(`${site.unproven}/second.html`);
    await (await pane.asks("certificate")).getByTestId("question-accept").click();
    await pane.says("opened");
    await at("site-button").click();
    await pane.root.locator('[data-testid="site"][data-came="unproven"]').waitFor();
    await at("site-certificate").getByText("ERR_CERT_AUTHORITY_INVALID").waitFor();
    await at("site-certificate").getByText("localhost").first().waitFor();
    await at("site-close").click();
  });

  // Fields that a Chromium with a window would draw.
  await it("a list, with the mouse", async () => {
    await pane.go(fixture("fields"), "Fields");
    await pane.click(60, 30);
    await at("choices").getByText("Large", { exact: true }).click();
    await pane.says("size=Large");
  });
  await it("a list, with the keyboard", async () => {
    await pane.click(60, 30);
    await at("choices").waitFor();
    await pane.press("ArrowUp");
    await pane.press("Enter");
    await pane.says("size=Small");
  });
  await it("a list is closed without a choice", async () => {
    await pane.click(60, 30);
    await at("choices").waitFor();
    await pane.press("Escape");
    await at("choices").waitFor({ state: "detached" });
  });
  await it("a date from the calendar", async () => {
    await pane.click(180, 70);
    await at("month-after").click();
    await at("day-2025-04-02").click();
    await pane.says("day=2025-04-02");
  });
  await it("a colour", async () => {
    await pane.click(60, 110);
    await at("swatch-e5484d").click();
    await pane.says("paint=#e5484d");
  });
  await it("a suggestion for a text field", async () => {
    await pane.click(60, 150);
    await pane.type("ber");
    await at("choices").getByText("Bern", { exact: true }).click();
    await pane.says("town=Bern");
  });
  await it("times, months and weeks", async () => {
    await pane.go(fixture("times"), "Times");
    for (const [y, value, words] of [
      [34, "13:45", "time=13:45"],
      [74, "2026-01", "month=2026-01"],
      [114, "2026-W02", "week=2026-W02"],
    ]) {
      await pane.click(150, y);
      await at("picker-value").fill(value);
      await at("picker-ok").click();
      await pane.says(words);
    }
  });
  await it("a date outside of its limits cannot be chosen", async () => {
    await pane.click(150, 194);
    assert.ok(await at("day-2025-03-21").isDisabled());
    await at("day-2025-03-20").click();
    await pane.says("limited=2025-03-20");
  });
  const files = ["a.txt", "b.txt"].map((name) => {
    writeFileSync(join(home, name), name);
    return join(home, name);
  });
  await it("a file is given to a page", async () => {
    await pane.go(fixture("fields"), "Fields");
    await pane.click(60, 190);
    const chooser = page.waitForEvent("filechooser");
    await (await pane.asks("files")).getByTestId("question-accept").click();
    await (await chooser).setFiles(files[0]);
    await pane.says("a.txt");
  });
  await it("several files", async () => {
    await pane.click(60, 230);
    const chooser = page.waitForEvent("filechooser");
    await (await pane.asks("files")).getByTestId("question-accept").click();
    await (await chooser).setFiles(files);
    await pane.says("a.txt+b.txt");
  });
  await it("the menu of a link copies its address", async () => {
    await pane.click(40, 270, { button: "right" });
    await at("page-menu-copy-link").click();
    await page.waitForFunction((want) => navigator.clipboard.readText().then((t) => t === want), fixture("two"), {
      polling: 100,
    });
  });
  await it("the menu of a picture copies the picture", async () => {
    await at("page-menu").waitFor({ state: "detached" });
    await pane.go(`${site.url}/pictured`, "Pictured", "pictured");
    await pane.click(40, 40, { button: "right" });
    await at("page-menu-copy-image").click();
    await page.getByText("Image copied").first().waitFor();
    const copied = await page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const picture = await createImageBitmap(await item.getType("image/png"));
      const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      canvas.drawImage(picture, 0, 0);
      return {
        side: picture.width,
        colour: [...canvas.getImageData(8, 8, 1, 1).data],
      };
    });
    assert.deepEqual(copied, { side: 16, colour: [220, 30, 30, 255] });
    await pane.go(fixture("fields"), "Fields");
  });
  await it("the menu of a text field pastes", async () => {
    await at("page-menu").waitFor({ state: "detached" }); // the menu of the link, which would get the click
    await page.evaluate(() => navigator.clipboard.writeText("by menu"));
    await pane.click(60, 470, { button: "right" });
    await at("page-menu-paste").click();
    await pane.says("plain=by menu");
  });
  await it("a page's own menu stays its own", async () => {
    await pane.click(40, 310, { button: "right" });
    await pane.says("own menu");
    assert.equal(await at("page-menu").count(), 0);
  });

  // A frame of another site has a process of its own.
  const stranger = `${fixture("foreign")}?at=${encodeURIComponent(site.url.replace("127.0.0.1", "localhost"))}`;
  await it("typing into a frame of another site", async () => {
    await pane.go(stranger, "Foreign", "inside is ready");
    await pane.click(120, 102);
    await pane.type("hi");
    await pane.says("word hi");
  });
  await it("a list and a date of a frame of another site", async () => {
    await pane.click(120, 142);
    await at("choices").getByText("Large", { exact: true }).click();
    await pane.says("size Large");
    await pane.click(120, 302);
    await at("month-after").click();
    await at("day-2025-04-02").click();
    await pane.says("day 2025-04-02");
  });
  await it("a dialog of a frame of another site", async () => {
    await pane.click(120, 182);
    const box = await pane.asks("confirm");
    await box.getByText("From inside?").waitFor();
    await box.getByTestId("question-accept").click();
    await pane.says("confirmed true");
  });
  await it("a file for a frame of another site", async () => {
    await pane.click(120, 262);
    const chooser = page.waitForEvent("filechooser");
    await (await pane.asks("files")).getByTestId("question-accept").click();
    await (await chooser).setFiles(files[0]);
    await pane.says("given a.txt");
  });
  await it("a download of a frame of another site", async () => {
    await pane.click(100, 222);
    await pane.root.locator('[data-testid="download"][data-state="downloaded"][data-name="inner.bin"]').waitFor();
    await at("downloads").waitFor({ state: "detached" }); // it opened by itself
  });

  // Around the page.
  await it("text is found and counted", async () => {
    await pane.go(fixture("text"), "Text");
    await pane.press("Control+F");
    await at("find-input").fill("needle");
    await at("find-count").getByText("1 / 4").waitFor();
    await at("find-next").click();
    await at("find-count").getByText("2 / 4").waitFor();
    await at("find-input").fill("nothing like it");
    await at("find-count").getByText("none").waitFor();
    await pane.press("Escape");
    await at("find").waitFor({ state: "detached" });
  });
  await it("text is found in frames, fields and shadows, and shown there", async () => {
    await pane.go(fixture("finding"), "Finding", "both are here");
    await pane.press("Control+F");
    await at("find-input").fill("needle");
    const here = [0xff, 0x8a, 0x1f];
    for (const [id, count] of [
      ["find-input", "1 / 7"],
      ["find-before", "7 / 7"], // at the end of a frame of another site
      ["find-before", "6 / 7"], // of a frame of this one
      ["find-before", "5 / 7"],
      ["find-before", "4 / 7"], // in the middle of a text area
    ]) {
      await at(id).click();
      await at("find-count").getByText(count, { exact: true }).waitFor();
      await pane.holds(here);
    }
    await at("find-close").click();
    await at("find").waitFor({ state: "detached" });
  });
  await it("the page is zoomed", async () => {
    await pane.go(fixture("second"), "Second", "opened");
    await pane.click(400, 300);
    await pane.press("Control+Equal");
    await pane.root.locator('[data-testid="browser-canvas"][data-zoom="110"]').waitFor();
    await pane.press("Control+Digit0");
    await pane.root.locator('[data-testid="browser-canvas"][data-zoom="100"]').waitFor();
  });
  await it("a download arrives with its name", async () => {
    await pane.enter(`${site.url}/file.bin`);
    await pane.root.locator('[data-testid="download"][data-state="downloaded"][data-name="report.bin"]').waitFor();
    assert.equal(readFileSync(join(home, "Downloads", "report.bin")).length, 2000);
    await at("downloads").waitFor({ state: "detached" });
  });
  await it("a download shows its progress and can be given up", async () => {
    await pane.enter(`${site.url}/slow.bin`);
    const row = pane.root.locator('[data-testid="download"][data-name="slow.bin"]');
    await row.getByText("1.0 MB of 4.0 MB").waitFor();
    await row.getByTestId("download-cancel").click();
    await pane.root.locator('[data-testid="download"][data-state="canceled"][data-name="slow.bin"]').waitFor();
    site.release();
    await row.getByTestId("download-again").click();
    const again = pane.root.locator('[data-testid="download"][data-state="downloading"][data-name="slow.bin"]');
    await again.getByText("1.0 MB of 4.0 MB").waitFor();
    site.release();
    await pane.root.locator('[data-testid="download"][data-state="downloaded"][data-name="slow.bin"]').waitFor();
    assert.equal(readFileSync(join(home, "Downloads", "slow.bin")).length, 4e6);
  });
  await it("a download is opened on the desktop, and its folder", async () => {
    const done = pane.root.locator('[data-testid="download"][data-state="downloaded"][data-name="slow.bin"]');
    const path = join(home, "Downloads", "slow.bin");
    for (const [button, wanted] of [
      ["download-open", `${path}\n`],
      ["download-folder", `${path}\n${join(home, "Downloads")}/\n`],
    ]) {
      await done.getByTestId(button).click();
      await until(`${button} to reach the desktop`, () => opened() === wanted);
    }
    await at("downloads-close").click();
  });
  await it("a download asks where it is saved, if the settings say so", async () => {
    const ask = async (on) => {
      await openSettings(page, "browser");
      await page.getByTestId("ask-where-to-save").click();
      await savedSettings(home, (s) => s.ask_where_to_save === on);
      await page.getByTestId("settings-close").click();
    };
    await ask(true);
    await pane.enter(`${site.url}/file.bin?name=asked.bin`);
    const row = pane.root.locator('[data-testid="download"][data-state="arrived"][data-name="asked.bin"]');
    await row.waitFor();
    const place = row.getByTestId("download-place");
    assert.equal(await place.inputValue(), join(home, "Downloads", "asked.bin"));
    await place.fill("~/kept.bin");
    await place.press("Enter");
    await pane.root.locator('[data-testid="download"][data-state="downloaded"][data-name="kept.bin"]').waitFor();
    assert.equal(readFileSync(join(home, "kept.bin")).length, 2000);
    await at("downloads-close").click();
    await ask(false);
  });
  await it("pages have the user agent of the settings, and their site says so", async () => {
    const set = async (agent) => {
      await openSettings(page, "browser");
      await page.getByTestId("user-agent").fill(agent);
      await page.getByTestId("user-agent").press("Enter");
      await savedSettings(home, (s) => s.user_agent === agent);
      await page.getByTestId("settings-close").click();
    };
    await set("Tester/1.0");
    await pane.go(`${site.url}/agent`, "Agent", "Tester/1.0");
    await at("site-button").click();
    await at("site-agent").getByText("Tester/1.0").waitFor();
    await at("site-agent-change").click();
    await page.getByTestId("user-agent").waitFor();
    await page.getByTestId("settings-close").click();
    await set("");
    await pane.go(fixture("second"), "Second", "opened");
  });
  await it("the page is saved as a PDF", async () => {
    await at("browser-menu").click();
    await page.getByTestId("menu-pdf").click();
    await page.mouse.move(300, 400); // the list stays under the pointer
    await pane.root.locator('[data-testid="download"][data-name="Second.pdf"]').waitFor();
    assert.match(
      readFileSync(join(home, "Downloads", "Second.pdf"))
        .subarray(0, 5)
        .toString(),
      /%PDF-/,
    );
    await at("downloads").waitFor({ state: "detached" });
  });
  await it("a PDF is shown", async () => {
    await pane.enter(`${site.url}/paper.pdf`);
    await pane.pixel(700, 400, [0xcc, 0, 0x33], "the paper");
    await pane.go(fixture("second"), "Second", "opened");
  });
  await it("cookies come from a file, Netscape's and JSON", async () => {
    await pane.go(fixture("second"), "Second", "opened");
    const host = new URL(site.url).hostname;
    const files = {
      "cookies.txt": `# Netscape HTTP Cookie File\n${host}\tFALSE\t/\tFALSE\t0\twho\tnetscape\n`,
      "cookies.json": JSON.stringify([
        { name: "who", value: "json", domain: host, path: "/" },
        { name: "also", value: "json", domain: host, path: "/elsewhere" },
      ]),
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(home, name), text);
      await at("browser-menu").click();
      await page.getByTestId("menu-library").click();
      await at("cookies-file").setInputFiles(join(home, name));
      await page
        .getByText(name === "cookies.txt" ? "1 cookie was imported" : "2 cookies were imported")
        .first()
        .waitFor();
      await pane.press("Escape");
      await pane.enter(`${site.url}/cookie`);
      await pane.says(name === "cookies.txt" ? "who=netscape" : "who=json");
    }
    await pane.go(fixture("second"), "Second", "opened");
  });
  await it("a bookmark is kept, listed and opened", async () => {
    await at("browser-bookmark").click();
    await pane.root.locator('[data-testid="browser-bookmark"][data-kept="true"]').waitFor();
    await pane.go(fixture("two"), "Two");
    await at("browser-menu").click();
    await page.getByTestId("menu-library").click();
    await pane.root.locator(`[data-testid="bookmark"][data-url="${fixture("second")}"]`).click();
    await pane.shows("Second");
  });
  await it("the address bar remembers where one was", async () => {
    await at("browser-address").fill("mouse.ht");
    await at("address-hit").first().click();
    await pane.says("Mouse");
  });
  await it("a popup is a tab of its own and knows its opener", async () => {
    await pane.click(60, 275);
    await tabs.getByText("Second", { exact: true }).waitFor();
    const popup = new Pane(page, page.locator(`[data-testid="browser"][data-url="${fixture("second")}"]`));
    await popup.says("opened");
    await popup.click(60, 115);
    await popup.says("sent");
    await tabs.getByText("Mouse", { exact: true }).click();
    await pane.says("message hello");
    await tabs.filter({ hasText: "Second" }).getByTestId("pane-close").click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="pane-tab"]').length === 1);
  });
  await it("a link to a new tab opens one", async () => {
    await pane.click(60, 235);
    await tabs.getByText("Second", { exact: true }).waitFor();
    await tabs.filter({ hasText: "Second" }).getByTestId("pane-close").click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="pane-tab"]').length === 1);
  });
  await it("a narrow pane keeps the space for the address, and the menu has what the toolbar leaves out", async () => {
    await page.setViewportSize({ width: 480, height: 800 });
    await at("browser-home").waitFor({ state: "hidden" });
    await at("browser-bookmark").waitFor({ state: "hidden" });
    const { width } = await at("browser-address").boundingBox();
    assert.ok(width >= 200, `the address is ${width} px wide`);
    await at("browser-menu").click();
    await page.getByTestId("menu-bookmark").waitFor();
    await page.getByTestId("menu-home").waitFor();
    await page.keyboard.press("Escape");
    await page.getByTestId("menu-home").waitFor({ state: "detached" });
    await page.setViewportSize(size);
    await at("browser-home").waitFor();
  });
  await it("a temporary page shares no cookies", async () => {
    await pane.enter(`${site.url}/cookie`);
    await pane.shows("Cookie");
    await pane.press("F5");
    await pane.says("who=ann");
    await at("browser-menu").click();
    await page.getByTestId("menu-temporary").click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="pane-tab"]').length === 2);
    const other = new Pane(page, page.locator('[data-testid="browser"][data-url="about:blank"]'));
    const id = await other.root.getAttribute("data-pane");
    const temporary = new Pane(page, page.locator(`[data-testid="browser"][data-pane="${id}"]`), site);
    await temporary.go(`${site.url}/cookie`, "Cookie", "nobody");
    await page.locator(`[data-testid="pane-close"][data-pane="${id}"]`).and(page.locator(":visible")).click();
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="pane-tab"]').length === 1);
  });
  await it("a profile has logins of its own, gets another name and is deleted", async () => {
    const library = async (p) => {
      await p.at("browser-menu").click();
      await page.getByTestId("menu-library").click();
    };
    const profile = (p, name) => p.root.locator(`[data-testid="profile"][data-name="${name}"]`);
    const count = (n) =>
      page.waitForFunction((n) => document.querySelectorAll('[data-testid="pane-tab"]').length === n, n);
    const paneOf = async () => {
      const blank = page.locator('[data-testid="browser"][data-url="about:blank"]');
      const id = await blank.getAttribute("data-pane");
      return new Pane(page, page.locator(`[data-testid="browser"][data-pane="${id}"]`), site);
    };
    const close = async (p) => {
      const id = await p.root.getAttribute("data-pane");
      await page.locator(`[data-testid="pane-close"][data-pane="${id}"]`).and(page.locator(":visible")).click();
      await count(1);
    };
    await library(pane);
    await at("profile-name").fill("work");
    await at("profile-new").click();
    await count(2);
    const work = await paneOf();
    await work.go(`${site.url}/cookie`, "Cookie", "nobody");
    await work.press("F5");
    await work.says("who=ann");
    // A profile with an open page is not deleted.
    await library(work);
    await profile(work, "work").getByTestId("profile-delete").click();
    await page.getByTestId("question-yes").click();
    await page
      .getByText(/pages of this profile are open/)
      .first()
      .waitFor();
    await close(work);
    await library(pane);
    await profile(pane, "work").getByTestId("profile-rename").click();
    await at("profile-renamed").fill("play");
    await pane.press("Enter");
    await profile(pane, "work").waitFor({ state: "detached" });
    await profile(pane, "play").getByTestId("profile-open").click();
    await count(2);
    const play = await paneOf();
    await play.go(`${site.url}/cookie`, "Cookie", "who=ann");
    await close(play);
    await library(pane);
    await profile(pane, "play").getByTestId("profile-delete").click();
    await page.getByTestId("question-yes").click();
    await profile(pane, "play").waitFor({ state: "detached" });
    await at("library-close").click();
  });
  await it("fingers on the picture", async () => {
    await pane.go(fixture("fields"), "Fields");
    const outer = await page.context().newCDPSession(page);
    await outer.send("Emulation.setTouchEmulationEnabled", { enabled: true });
    const [x, y] = await pane.place(500, 500);
    await outer.send("Input.dispatchTouchEvent", {
      type: "touchStart",
      touchPoints: [{ x, y }],
    });
    await outer.send("Input.dispatchTouchEvent", {
      type: "touchEnd",
      touchPoints: [],
    });
    await pane.says("touched 1");
    await outer.send("Emulation.setTouchEmulationEnabled", { enabled: false });
    await outer.detach();
  });
  await it("a moving page moves", async () => {
    await pane.go(fixture("moving"), "Moving");
    await pane.pixel(50, 250, [0xcc, 0, 0x33], "the box on the left");
    await pane.pixel(50, 250, [255, 255, 255], "the box continued");
  });
  await it("a screen with twice the pixels gets a sharp picture", async () => {
    await pane.go(fixture("fine"), "Fine");
    const fine = await page
      .context()
      .browser()
      .newPage({
        viewport: { width: 700, height: 560 },
        deviceScaleFactor: 2,
      });
    try {
      fine.setDefaultTimeout(limit(60_000));
      await fine.goto(url);
      const seen = new Pane(fine, fine.getByTestId("browser").first(), site);
      const contrast = (canvas) =>
        fine.waitForFunction(
          (canvas) => {
            const box = canvas.getBoundingClientRect();
            if (canvas.width !== 2 * Math.round(box.width)) return false;
            // The page has lines that are half a CSS pixel wide.
            const row = canvas.getContext("2d").getImageData(160, 220, 40, 1).data;
            const light = Array.from({ length: 40 }, (_, i) => row[4 * i]);
            return Math.max(...light) - Math.min(...light) > 150;
          },
          canvas,
          { polling: 50 },
        );
      const canvas = await seen.canvas.elementHandle();
      await contrast(canvas);
      await seen.click(60, 35);
      await seen.pixel(20, 700, [0xff, 0xee, 0x88], "the page changed");
      await contrast(canvas);
      // While a caret blinks, the rest of the picture stays sharp.
      await seen.click(60, 72);
      await seen.type("fine");
      await contrast(canvas);
    } finally {
      await fine.close();
    }
  });

  // What goes wrong.
  await it("a page that hangs can be stopped", async () => {
    await pane.go(fixture("mouse"), "Mouse");
    await pane.click(60, 315);
    await pane.says("hanging soon");
    // The program notices that the page hangs only after a click without effect.
    const isHung = () =>
      at("browser-problem-stop")
        .waitFor({ timeout: 5_000 })
        .then(
          () => true,
          () => false,
        );
    do await pane.click(60, 35);
    while (!(await isHung()));
    await at("browser-problem-stop").click();
    await at("browser-problem-stop").waitFor({ state: "detached" }); // the message covers the page until then
    await pane.click(60, 75, { clickCount: 2 });
    await pane.says("double");
  });
  await it("a page whose process dies has an overlay with Reload", async () => {
    await pane.go(fixture("second"), "Second", "opened");
    const renderers = descendants(program.hostPid, "--type=renderer");
    for (const pid of renderers) kill(pid);
    await pane.root.getByText("the page crashed").waitFor();
    await at("browser-problem-reload").click();
    await pane.says("opened");
  });
  await it("a killed Chromium restarts automatically, with its page", async () => {
    const browsers = descendants(program.hostPid, "--remote-debugging-pipe");
    assert.ok(browsers.length > 0);
    for (const pid of browsers) kill(pid);
    await at("browser-notice")
      .getByText(/started again/)
      .waitFor();
    await pane.says("opened");
    await pane.click(60, 115);
    await pane.says("sent");
  });
  assert.ok(only || ran >= 40, `only ${ran} cases passed`);
  assert.ok(!existsSync(join(home, "Downloads", ".incoming", "x")));
  assert.deepEqual(
    said.filter((line) => line.startsWith("error")),
    [],
    "the page reported errors",
  );
}
