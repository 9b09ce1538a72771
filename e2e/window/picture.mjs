// Takes the README's picture: the real window while the demonstration goal works.
//   make bin/goalpost e2e/out/automation.so && node e2e/window/picture.mjs docs/images/workspace-dark.png
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until, withWindow } from "./window.mjs";

const file = process.argv[2];
if (!file) throw new Error("usage: node e2e/window/picture.mjs FILE.png");

// The terminal shows the program's path: not one of the developer's.
const folder = mkdtempSync(join(tmpdir(), "goalpost-"));
const program = join(folder, "goalpost");
copyFileSync("bin/goalpost", program);
process.on("exit", () => rmSync(folder, { recursive: true }));

const take = async (w) => {
  await w.sees("welcome");
  await w.click("rail-settings");
  await w.click("theme-dark");
  await w.click("settings-close");
  await w.key("ctrl+shift+p");
  await w.sees("palette-input");
  await w.type("demo");
  await w.key("Return");
  await w.sees("browser");
  await w.sees("goal-drawer");
  const verdicts = () =>
    document.querySelector('[data-testid="goal-drawer"]')?.textContent.match(/Claimed done: \d of 1 checks passed/g)
      ?.length ?? 0;
  await until("the second verdict", async () => (await w.page(verdicts)) === 2, 90_000);
  await until("the repaired page", () =>
    w.page(() => {
      const canvas = document.querySelector('[data-testid="browser-canvas"]');
      return canvas.width > 0 && canvas.height > 0;
    }),
  );
  const colours = await w.picture("readme", file);
  console.log(`${file}: ${colours} colours`);
};
await withWindow(take, { program });
