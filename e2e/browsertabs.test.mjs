// Tests how a user lives with pages all day: tabs and what stands over a page. All cases use one program with one
// Chromium.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { Pane } from "./lib/pane.mjs";
import { keep } from "./lib/serve.mjs";
import { startSite } from "./lib/site.mjs";

test("pages all day", { timeout: limit(600_000) }, async (t) => {
  const site = await startSite();
  try {
    await withApp(t, (app) => walk(t, app, site));
  } finally {
    site.close();
  }
});

async function walk(t, { page, home, program, said }, site) {
  mkdirSync(join(home, "Downloads"));
  await page.setViewportSize({ width: 960, height: 740 });
  await page.getByTestId("skip-welcome").click();
  await page.getByTestId("new-browser").click();
  await page.getByTestId("browser").waitFor();
  const tabs = page.getByTestId("pane-tab");
  const pane = new Pane(page, page.getByTestId("browser").first(), site);
  const fixture = (name) => `${site.url}/${name}.html`;
  const it = (name, f) =>
    t.test(name, { timeout: limit(180_000) }, async () => {
      try {
        await f();
      } catch (error) {
        await keep(`browsertabs ${name}`, page, program, said);
        throw error;
      }
    });
  const openLibrary = async () => {
    await pane.at("browser-menu").click();
    await page.getByTestId("menu-library").click();
    await pane.at("library").waitFor();
  };

  await it("one entry of the history is removed, and the others stay", async () => {
    await pane.go(fixture("second"), "Second", "opened");
    await pane.go(fixture("mouse"), "Mouse");
    await openLibrary();
    const visit = (name) => pane.root.locator(`[data-testid="visit"][data-url="${fixture(name)}"]`);
    await visit("second").waitFor();
    await pane.root.locator(`[data-testid="visit-remove"][data-url="${fixture("second")}"]`).click();
    await visit("second").waitFor({ state: "detached" });
    assert.equal(await visit("mouse").count(), 1);
  });
  await it("what stands over a page closes with Esc and with a click elsewhere", async () => {
    await pane.press("Escape");
    await pane.at("library").waitFor({ state: "detached" });
    await openLibrary();
    await pane.click(60, 35);
    await pane.at("library").waitFor({ state: "detached" });
    await pane.says("clicked true"); // the click reached the page, too
    await pane.enter(`${site.url}/file.bin`);
    await pane.at("downloads").waitFor();
    await pane.press("Escape");
    await pane.at("downloads").waitFor({ state: "detached" });
  });

  const count = (n) =>
    page.waitForFunction((n) => document.querySelectorAll('[data-testid="pane-tab"]').length === n, n);
  /** The pane that is shown now. */
  const shown = async () => {
    const root = page.locator('[data-testid="browser"]:visible');
    const id = await root.getAttribute("data-pane");
    return new Pane(page, page.locator(`[data-testid="browser"][data-pane="${id}"]`), site);
  };
  await it("Esc stops a page that does not come", async () => {
    await pane.enter(`${site.url}/slow`);
    await pane.at("browser-stop").waitFor();
    await pane.press("Escape");
    await pane.at("browser-reload").waitFor();
    site.release();
    await pane.go(fixture("mouse"), "Mouse");
  });
  await it("Ctrl+Shift+T opens a terminal as long as no page was closed", async () => {
    await pane.press("Control+Shift+KeyT");
    await page.getByTestId("terminal").waitFor();
    await page.getByTestId("terminal").locator(".xterm-helper-textarea").focus();
    await pane.press("Control+Shift+KeyW");
    await page.getByTestId("terminal").waitFor({ state: "detached" });
    await count(1);
  });
  await it("tabs are opened, changed and reopened with the keys of browsers", async () => {
    await pane.at("browser-keys").focus();
    await pane.press("Control+KeyT");
    await count(2);
    await page.waitForFunction(() => document.activeElement?.dataset.testid === "browser-address");
    const second = await shown();
    await second.go(fixture("second"), "Second", "opened");
    await pane.press("Control+Tab");
    await pane.canvas.waitFor({ state: "visible" });
    await pane.at("browser-keys").and(page.locator(":focus")).waitFor();
    await pane.press("Control+Tab");
    await second.canvas.waitFor({ state: "visible" });
    await pane.press("Control+Shift+Tab");
    await pane.canvas.waitFor({ state: "visible" });

    await pane.move(400, 300);
    await page.mouse.wheel(0, 400);
    await pane.says("scrolled");
    await pane.press("Control+Shift+KeyW");
    await count(1);
    await second.at("browser-keys").and(page.locator(":focus")).waitFor();
    await pane.press("Control+Shift+KeyT");
    await count(2);
    await tabs.getByText("Mouse", { exact: true }).waitFor();
    const again = await shown();
    assert.equal(await again.root.getAttribute("data-url"), fixture("mouse"));
    await again.says("scrolled"); // it scrolled there itself
    await pane.press("Control+Shift+KeyW");
    await count(1);
  });
  await it("a tab and the palette show the icon of a page, and none on another site", async () => {
    const own = await shown();
    const id = await own.root.getAttribute("data-pane");
    const tab = page.locator(`[data-testid="pane-tab"][data-pane="${id}"]`);
    await own.go(`${site.url}/icon`, "Icon");
    const icon = tab.getByTestId("page-icon");
    await icon.waitFor();
    const [size, colour] = await icon.evaluate(async (image) => {
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), {
        width: 32,
        height: 32,
      });
      const context = canvas.getContext("2d");
      context.drawImage(image, 0, 0);
      return [image.naturalWidth, [...context.getImageData(16, 16, 1, 1).data]];
    });
    assert.equal(size, 32);
    assert.deepEqual(colour, [220, 30, 30, 255]);
    await page.keyboard.press("Control+Shift+KeyP");
    await page.getByTestId(`pane-${id}`).getByTestId("page-icon").waitFor();
    await page.keyboard.press("Escape");
    await own.go(fixture("second"), "Second", "opened");
    await icon.waitFor({ state: "detached" });
  });
  await it("a pinned tab is first and narrow, and is closed only after a question", async () => {
    const id = await (await shown()).root.getAttribute("data-pane");
    const tab = page.locator(`[data-testid="pane-tab"][data-pane="${id}"]`);
    await pane.at("browser-keys").focus();
    await pane.press("Control+KeyT");
    await count(2);
    const second = await shown();
    await second.go(`${site.url}/icon`, "Icon");
    const order = () => tabs.evaluateAll((all) => all.map((t) => t.dataset.pinned));
    const pin = async () => {
      await page.getByTestId("pane-menu").click();
      await page.getByTestId("menu-pin").click();
    };
    await pin();
    const pinned = page.locator('[data-testid="pane-tab"][data-pinned="true"]');
    await page.waitForFunction(() => document.querySelector('[data-testid="pane-tab"]')?.dataset.pinned === "true");
    assert.deepEqual(await order(), ["true", "false"]);
    assert.ok((await pinned.boundingBox()).width < 60, "a pinned tab is as narrow as its icon");
    assert.ok((await tab.boundingBox()).width > 60);
    await second.canvas.waitFor({ state: "visible" }); // pinning it did not hide it
    await page.reload();
    await page.waitForFunction(() => document.querySelector('[data-testid="pane-tab"]')?.dataset.pinned === "true");
    await count(2);
    await pinned.click({ button: "middle" });
    await page.getByTestId("question").getByText("Close the pinned page").waitFor();
    await page.getByTestId("question-no").click();
    await page.getByTestId("question").waitFor({ state: "detached" });
    await count(2);
    await pinned.click();
    await pin(); // no longer
    await pinned.waitFor({ state: "detached" });
    await page.locator('[data-testid="pane-tab"]').first().click({ button: "middle" });
    await count(1);
  });
  await it("a page in full screen has no toolbar until Esc", async () => {
    const own = await shown();
    await own.go(`${site.url}/full`, "Full");
    const before = (await own.canvas.boundingBox()).height;
    await own.click(200, 200);
    await own.at("browser-address").waitFor({ state: "detached" });
    await own.at("fullscreen-note").getByText(new URL(site.url).host).waitFor();
    await own.says("fills");
    await page.waitForFunction(
      ([id, before]) =>
        document.querySelector(`[data-pane="${id}"] [data-testid="browser-canvas"]`)?.getBoundingClientRect().height >
        before,
      [await own.root.getAttribute("data-pane"), before],
    );
    await own.press("Escape");
    await own.at("browser-address").waitFor();
    await own.says("framed");
    await own.at("fullscreen-note").waitFor({ state: "detached" });
  });
  await it("a saved login gets another user name, and another password", async () => {
    const { origin } = new URL(site.url);
    const row = (user) => page.locator(`[data-testid="login"][data-id="${origin} ${user}"]`);
    await openSettings(page, "secrets-and-logins");
    await page.getByTestId("login-add").click();
    await page.getByTestId("secret-origin").fill(origin);
    await page.getByTestId("secret-user").fill("ann");
    await page.getByTestId("secret-password").fill("first password");
    await page.getByTestId("secret-save").click();
    await row("ann").getByTestId("login-change").click();
    assert.equal(await page.getByTestId("secret-user").inputValue(), "ann");
    assert.equal(await page.getByTestId("secret-password").inputValue(), "");
    await page.getByTestId("secret-user").fill("anna");
    await page.getByTestId("secret-save").click();
    await row("anna").waitFor();
    assert.equal(await row("ann").count(), 0);
    await page.getByTestId("settings-close").click();
    const login = await shown();
    await login.go(fixture("login"), "Login");
    await login.at("browser-menu").click();
    await page.getByTestId("menu-logins").click();
    await login.at("login").and(page.locator('[data-user="anna"]')).click();
    await login.says("anna:first password");
  });
  await it("a download is listed after its page was closed, until it is removed", async () => {
    const first = await shown();
    await first.enter(`${site.url}/file.bin?name=earlier.bin`);
    await first.root.locator('[data-testid="download"][data-state="downloaded"][data-name="earlier.bin"]').waitFor();
    await first.at("browser-keys").focus();
    await first.press("Control+KeyT");
    await count(2);
    await tabs.first().getByTestId("pane-close").click();
    await count(1);
    const next = await shown();
    await next.at("browser-menu").click();
    await page.getByTestId("menu-downloads").click();
    const row = next.root.locator('[data-testid="earlier-download"][data-name="earlier.bin"]');
    await row.getByTestId("download-folder").waitFor();
    await row.getByTestId("download-forget").click();
    await row.waitFor({ state: "detached" });
    await next.at("downloads-close").click();
  });
  await it("a page that nobody looks at goes to sleep, and returns where it was", async () => {
    await openSettings(page, "browser");
    await page.getByTestId("page-idle-minutes").fill("1");
    await page.getByTestId("page-idle-minutes").press("Enter");
    await savedSettings(home, (s) => s.page_idle_minutes === 1);
    await page.getByTestId("settings-close").click();
    const first = await shown();
    await first.go(fixture("second"), "Second", "opened");
    await first.go(fixture("mouse"), "Mouse");
    await first.move(400, 300);
    await page.mouse.wheel(0, 400);
    await first.says("scrolled");
    await first.at("browser-keys").focus();
    await first.press("Control+KeyT");
    await count(2);
    const mouse = tabs.filter({ hasText: "Mouse" });
    await mouse.getByTestId("pane-asleep").waitFor({ timeout: limit(120_000) });
    await mouse.click();
    await mouse.getByTestId("pane-asleep").waitFor({ state: "detached" });
    await first.says("scrolled"); // it scrolled there itself
    await first.at("browser-back").click();
    await first.says("opened");
    await first.at("browser-forward").click();
    await first.shows("Mouse");
  });
}
