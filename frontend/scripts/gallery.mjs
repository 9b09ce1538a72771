// Takes pictures of gallery scenes in both themes: node scripts/gallery.mjs OUT [scene…]
// It builds on Debian's Chromium; set CHROMIUM to use another one.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { createServer } from "vite";

const [out, ...wanted] = process.argv.slice(2);
if (!out) {
  console.error("usage: node scripts/gallery.mjs OUT [scene…]");
  process.exit(2);
}
mkdirSync(out, { recursive: true });
const server = await createServer({ server: { port: 0, host: "127.0.0.1" }, logLevel: "error" });
await server.listen();
const base = server.resolvedUrls?.local[0];
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
page.on("pageerror", (e) => console.error("page error:", e.message));
page.on("console", (m) => m.type() === "error" && console.error("console:", m.text()));
await page.goto(`${base}gallery.html`);
const all = await page.locator("li > span").allTextContents();
for (const scene of wanted.length > 0 ? wanted : all) {
  for (const theme of ["dark", "light"]) {
    await page.goto(`${base}gallery.html?scene=${scene}&theme=${theme}`);
    await page.locator(`html[data-scene="${scene}"]`).waitFor(); // it no longer changes
    await page.screenshot({ path: `${out}/${scene}-${theme}.png` });
  }
}
await browser.close();
await server.close();
