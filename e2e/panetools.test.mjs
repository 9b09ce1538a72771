// Tools around pages and terminals: developer tools, the choice of a search engine before anything is sent to one, a
// button for new tabs, and the servers of ~/.ssh/config.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { complaints, openSettings, savedSettings, withApp } from "./lib/app.mjs";
import { limit } from "./lib/limits.mjs";
import { until } from "./window/window.mjs";

test("developer tools, search, new tabs and quick connections", { timeout: limit(300_000) }, async (t) => {
  const asked = [];
  const site = createServer((request, response) => {
    asked.push(request.url);
    response.setHeader("content-type", "text/html");
    response.end(`<title>${request.url.startsWith("/find") ? "Found" : "Site"}</title><h1>Hello</h1>`);
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  try {
    await withApp(t, (app) => walk(app, `http://127.0.0.1:${site.address().port}`, asked));
  } finally {
    site.closeAllConnections();
    site.close();
  }
});

async function walk({ page, home, said }, site, asked) {
  const at = (id) => page.getByTestId(id);
  const tab = (text) => at("pane-tab").filter({ hasText: text });
  const count = (id, n) =>
    page.waitForFunction(([id, n]) => document.querySelectorAll(`[data-testid="${id}"]`).length === n, [id, n]);
  await at("skip-welcome").click();
  await page.keyboard.press("Control+Shift+KeyB");
  await at("browser").waitFor();
  await at("browser-address").fill(`${site}/`);
  await at("browser-address").press("Enter");
  await tab("Site").waitFor();

  // Words are not sent anywhere before an engine is chosen.
  const search = async (words) => {
    await at("browser-address").first().fill(words);
    await at("browser-address").first().press("Enter");
  };
  await search("two words");
  await at("search-choice").waitFor();
  assert.ok(await at("search-save").isDisabled(), "no engine is chosen for the user");
  await at("search-engine-none").check();
  await at("search-save").click();
  await at("search-choice").waitFor({ state: "detached" });
  await savedSettings(home, (s) => s.search_page === "none");
  await search("two words");
  await page.getByText("no search engine is set").first().waitFor(); // and the user is not asked again
  await openSettings(page, "browser");
  await at("search-engine").selectOption("custom");
  await at("search-page").fill(`${site}/find?q=%s`);
  await at("search-page").press("Enter");
  await savedSettings(home, (s) => s.search_page.includes("/find"));
  await at("settings-close").click();
  await search("two words");
  await tab("Found").waitFor();
  assert.ok(asked.includes("/find?q=two+words"), asked.join(" "));

  // F12 opens the tools below the page. Pressed again, it shows the same tools. The × closes them.
  await page.locator('[data-testid="browser"] [data-testid="browser-keys"]').first().focus();
  await page.keyboard.press("F12");
  await tab("DevTools").waitFor();
  await count("browser", 2);
  const tools = page.locator('[data-testid="browser"][data-url^="devtools://"]');
  await tools.getByTestId("browser-canvas").waitFor();
  assert.equal(await tools.getByTestId("browser-address").count(), 0, "the tools have an address bar");
  await at("browser-menu").click();
  await at("menu-devtools").click();
  await count("browser", 2);
  const box = await tools.boundingBox();
  assert.ok(box.y > 300, "the tools are below the page");
  // The console is ready when its blue prompt is drawn. What is typed there runs in the page.
  const canvas = await tools.getByTestId("browser-canvas").elementHandle();
  await page.waitForFunction((c) => {
    const { data } = c.getContext("2d").getImageData(0, 54, 40, 40);
    for (let i = 0; i < data.length; i += 4) if (data[i + 2] - data[i] > 40) return true;
    return false;
  }, canvas);
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  // The console accepts keys a moment later, and nothing signals that. What it misses has no effect.
  const typed = tab("typed 42").first(); // the page's; that of the tools is named after it
  for (let left = 10; left > 0 && !(await typed.isVisible()); left--) {
    await page.keyboard.type("document.title = 'typed ' + 6 * 7");
    await page.keyboard.press("Enter");
    await typed.waitFor({ timeout: limit(5000) }).catch((error) => {
      if (left === 1) throw error;
    });
  }

  // They follow the colours of the window.
  for (const theme of ["dark", "light"]) {
    await page.keyboard.press("Control+Shift+KeyP");
    await at("palette-input").fill(`${theme} theme`);
    await page.keyboard.press("Enter");
    await page.locator(`html[data-theme="${theme}"]`).waitFor({ state: "attached" });
    await page.waitForFunction(
      ([c, wanted]) => {
        const [r, g, b] = c.getContext("2d").getImageData(c.width - 30, c.height - 30, 1, 1).data;
        return (r + g + b > 384 ? "light" : "dark") === wanted;
      },
      [canvas, theme],
    );
  }
  const id = await tools.getAttribute("data-pane");
  await page.locator(`button[data-testid="pane-close"][data-pane="${id}"]`).click();
  await count("browser", 1);

  // The button beside the tabs opens another tab there.
  await at("pane-new-tab").first().click();
  await count("browser", 2);
  assert.equal(await page.locator(".dv-groupview").count(), 1, "the new tab is beside the other");

  // The list has the servers of the configuration; another server is only typed.
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(join(home, ".ssh", "config"), "Include more\nHost box *.example\n  HostName 127.0.0.1\n  Port 1\n");
  writeFileSync(join(home, ".ssh", "more"), "Host included\n");
  await page.keyboard.press("Control+Shift+Space");
  await page.keyboard.press("h");
  await at("ssh-config-host").first().waitFor();
  assert.deepEqual(await at("ssh-config-host").evaluateAll((all) => all.map((e) => e.dataset.host)), [
    "included",
    "box",
  ]);
  await at("ssh-target").fill("-oProxyCommand=true");
  await at("ssh-target").press("Enter");
  await at("ssh-problem").getByText("is not a server").waitFor();
  await at("ssh-target").fill("ada@127.0.0.1:1");
  await at("ssh-target").press("Enter");
  await at("terminal").getByText("port 1: Connection refused").first().waitFor(); // nothing listens there
  await page.keyboard.press("Control+Shift+Space");
  await page.keyboard.press("h");
  await at("server").getByText("ada@127.0.0.1:1").waitFor();
  await at("servers-close").click();
  assert.deepEqual(complaints(said), []);
}

test("a page that is closed while its browser starts leaves no message", { timeout: limit(120_000) }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-chromium-"));
  const [slow, started, ended] = ["slow", "started", "ended"].map((name) => join(dir, name));
  // It never answers, as on a slow machine, and ends with its pipe.
  const script = `echo 'cannot connect to the bus' >&2; : >'${started}'; cat <&3 >/dev/null; : >'${ended}'`;
  writeFileSync(slow, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  try {
    await withApp(
      t,
      async ({ page }) => {
        const at = (id) => page.getByTestId(id);
        await at("skip-welcome").click();
        await at("new-browser").click();
        await until("the start of the browser", () => existsSync(started));
        await page.getByRole("button", { name: "Close New page" }).click();
        await at("pane-tab").waitFor({ state: "detached" });
        await until("the end of the browser", () => existsSync(ended));
        await at("new-terminal").click(); // answered after the page's opening
        await at("terminal").waitFor();
        assert.deepEqual(await page.locator("[data-sonner-toast]").allInnerTexts(), []);
      },
      { GOALPOST_CHROMIUM: slow },
    );
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
