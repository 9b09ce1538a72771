// Pictures of every screen of the real program, in both themes, on a desktop and on a phone: node
// e2e/screenshots/take.mjs [FOLDER]. Only the model is scripted. They are for visual review and are not a test.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openChromium } from "../lib/chromium.mjs";
import { keep, startServe } from "../lib/serve.mjs";
import { startModel } from "../lib/model.mjs";
import { freePort } from "../lib/port.mjs";
import { Camera } from "./camera.mjs";
import { playShop } from "./shop.mjs";
import { Tour } from "./tour.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = process.argv[2] ?? join(root, "docs", "screenshots");
const key = "sk-played-0123456789abcdefghij";

const home = mkdtempSync(join(tmpdir(), "goalpost-pictures-"));
const port = await freePort();
// Terminals show the program's path, which must not be one of the developer's.
const program = join(home, "goalctl");
copyFileSync(join(root, "bin", "goalctl"), program);
const model = await startModel([playShop(program, port)], { key });
const serve = await startServe(home, {}, program);
const browser = await openChromium();
const page = await browser.newPage({
  viewport: { width: 1440, height: 900 },
  colorScheme: "dark",
  reducedMotion: "reduce",
});
try {
  page.setDefaultTimeout(30_000);
  await page.goto(serve.url);
  const camera = new Camera(page, folder);
  const tour = new Tour(page, camera, { home, model: model.url, key });
  await tour.firstStart();
  await tour.connect();
  await tour.runGoals();
  await tour.lookAtGoals();
  await tour.lookAtSettings();
  console.log(`${camera.count} pictures, ${(camera.bytes / 2 ** 20).toFixed(1)} MiB, in ${folder}`);
} catch (error) {
  await keep("screenshots", page, serve.program, []);
  throw error;
} finally {
  await browser.close();
  await serve.program.end();
  model.close();
  rmSync(home, { recursive: true, force: true });
}
