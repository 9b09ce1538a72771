// Checks every scene of the gallery, in both themes and down to a window at 200 % zoom: axe checks names, roles,
// landmarks, focus and contrast, and `faults` looks for a layout that a user would call broken, also on a phone, where
// each control must have the size of a finger. The end-to-end tests
// look at one scene of each kind, `make looks` at all of them; SCENES=goals,steer looks at those.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { sharedChromium } from "./lib/app.mjs";
import { scenesOf, serveGallery, showScene } from "./lib/gallery.mjs";
import { faults, smallTargets } from "./lib/layout.mjs";
import { limit } from "./lib/limits.mjs";

const axe = createRequire(new URL("../frontend/package.json", import.meta.url)).resolve("axe-core/axe.min.js");

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 640 },
  { width: 720, height: 450 }, // 1440x900 at 200 %
];

const phone = { width: 360, height: 740 };

/** One scene for each kind of page, dialog and pane. */
const kinds = [
  ...[
    "welcome",
    "workspace",
    "workspace-long",
    "login",
    "question",
    "palette",
    "approvals",
    "settings",
    "page-prompts",
  ],
  ...["goals", "goals-eight-hours", "goals-needs-you", "goals-replay", "goal-changes", "new-goal-reach"],
];

const minutes = process.env.SCENES === "all" ? 60 : 10;
const name = "nothing is cut, covered, out of reach or without a name, in any scene";

test(name, { timeout: limit(minutes * 60_000) }, async () => {
  const gallery = await serveGallery({ "/axe.js": axe });
  const browser = await sharedChromium();
  const page = await browser.newPage({ viewport: sizes[0], reducedMotion: "reduce" });
  page.setDefaultTimeout(limit(60_000));
  try {
    await checkScenes(page, gallery);
    await checkPhone(page, gallery);
    await checkNewest(page, gallery);
    await checkToolbar(page, gallery);
    await checkSelected(page, gallery);
  } finally {
    await page.close();
    gallery.close();
  }
});

async function checkScenes(page, gallery) {
  const broken = [];
  page.on("pageerror", (e) => broken.push(`page error: ${e.message}`));
  const all = await scenesOf(page, gallery.url);
  assert.ok(all.length > 30);
  const wanted = process.env.SCENES ?? "";
  const scenes = wanted === "all" ? all : wanted === "" ? kinds : wanted.split(",");
  assert.deepEqual(
    scenes.filter((s) => !all.includes(s)),
    [],
    "no such scene",
  );
  for (const scene of scenes) {
    await page.setViewportSize(sizes[0]);
    await showScene(page, gallery.url, scene);
    await page.addScriptTag({ url: "/axe.js" });
    const say = (where) => (line) => broken.push(`${scene}, ${where}: ${line}`);
    (await page.evaluate(violations, null)).forEach(say("dark"));
    (await page.evaluate(faults)).forEach(say("1440x900"));
    for (const size of sizes.slice(1)) {
      await page.setViewportSize(size);
      await page.evaluate(settled);
      (await page.evaluate(faults)).forEach(say(`${size.width}x${size.height}`));
    }
    await page.setViewportSize(phone);
    await page.evaluate(settled);
    (await page.evaluate(faults)).forEach(say("phone"));
    (await page.evaluate(smallTargets)).forEach(say("phone"));
    await page.setViewportSize(sizes.at(-1));
    await page.evaluate(async () => {
      await window.gallery.app.settings.save({ theme: "light" });
      await window.gallery.still();
    });
    (await page.evaluate(violations, ["color-contrast", "scrollable-region-focusable"])).forEach(say("light, small"));
  }
  assert.deepEqual(broken, []);
}

/** A phone shows one pane on all of its width, and of a goal first what decides it. */
async function checkPhone(page, gallery) {
  const at = (id) => page.getByTestId(id);
  await page.setViewportSize(phone);
  await showScene(page, gallery.url, "workspace");
  const covered = page.locator("main[inert]");
  assert.equal(await covered.count(), 0, "nobody can use the pane");
  await at("drawer-toggle").click();
  await covered.waitFor({ state: "attached" });
  const picker = at("pane-picker");
  for (const value of await picker.locator("optgroup option").evaluateAll((all) => all.map((o) => o.value))) {
    await picker.selectOption(value);
    const shown = at("pane").and(page.locator(`[data-pane="${value}"]`));
    await page.waitForFunction(
      (id) => document.querySelector(`[data-testid="pane"][data-pane="${id}"]`)?.getBoundingClientRect().width > 330,
      value,
    );
    assert.ok(await shown.isVisible());
    assert.equal(await at("goal-drawer").count(), 0, `the goal covers ${value}`);
    assert.equal(await covered.count(), 0, `nobody can use ${value}`);
    assert.equal(await at("pane").and(page.locator(":visible")).count(), 1, `${value} is not alone`);
  }
  // A pane that is chosen in the palette is not covered either.
  await at("drawer-toggle").click();
  await covered.waitFor({ state: "attached" });
  await page.keyboard.press("Control+Shift+KeyP");
  await at("palette-input").fill("#");
  await at("palette").locator('[data-testid^="pane-"]').first().click();
  await at("palette").waitFor({ state: "detached" });
  await covered.waitFor({ state: "detached" });
  assert.equal(await at("goal-drawer").count(), 0, "the goal covers the pane that the palette shows");
  await showScene(page, gallery.url, "goals-long");
  const checks = await page.getByTestId("check").first().boundingBox();
  const activity = await page.getByTestId("story-log").boundingBox();
  assert.ok(checks.y < activity.y, "the activity comes before the checks");
}

/** The newest row of an activity stays in sight when a request or a lower window takes space from the list. */
async function checkNewest(page, gallery) {
  await page.setViewportSize(sizes[0]);
  await showScene(page, gallery.url, "workspace-needs-you");
  for (const height of [900, 780, 640]) {
    await page.setViewportSize({ width: 1440, height });
    await page.waitForFunction(() => {
      const log = document.querySelector('[data-testid="drawer-activity"]');
      return log.scrollHeight > log.clientHeight && log.scrollHeight - log.scrollTop - log.clientHeight < 2;
    });
  }
}

/** The bar above the changes is one row, also when an undo can be undone. */
async function checkToolbar(page, gallery) {
  await page.setViewportSize(sizes[0]);
  await showScene(page, gallery.url, "goal-undone");
  await page.getByTestId("story-changes").click();
  await page.getByTestId("redo").waitFor();
  for (const width of [1440, 1100, 1000]) {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(settled);
    const tops = await page.evaluate(() =>
      ["story-log", "undo-all", "commit"].map((id) => {
        const { top, height } = document.querySelector(`[data-testid="${id}"]`).getBoundingClientRect();
        return top + height / 2;
      }),
    );
    assert.ok(Math.max(...tops) - Math.min(...tops) < 10, `the bar of the changes wraps at ${width} px: ${tops}`);
  }
}

/** The selected goal is whole in the list, wherever keys lead, and when the bar of a selection takes space from the list. */
async function checkSelected(page, gallery) {
  await page.setViewportSize({ width: 1440, height: 500 });
  await showScene(page, gallery.url, "goals");
  const inSight = (id) =>
    page.waitForFunction((id) => {
      const card = document.querySelector('[data-testid="goal-card"][aria-current="true"]');
      const list = document.querySelector('[data-testid="goal-list"]')?.getBoundingClientRect();
      const box = card?.getBoundingClientRect();
      const isWhole = list && box && box.top >= list.top - 1 && box.bottom <= list.bottom + 1;
      return isWhole && card.dataset.goal !== id && card.dataset.goal;
    }, id);
  await inSight("");
  const all = 9; // goals of the scene
  for (let n = 1; n < all; n++) await page.keyboard.press("k"); // to the first one
  let last = await (await inSight("")).jsonValue();
  for (const key of [...Array(all - 1).fill("j"), ...Array(all - 1).fill("k")]) {
    await page.keyboard.press(key);
    last = await (await inSight(last)).jsonValue();
    await page.keyboard.press("x");
    await inSight("");
  }
}

/** Runs in the page: waits until all elements have their final position. An open menu positions itself again. */
async function settled() {
  await window.gallery.still();
  if (!document.querySelector("[data-radix-popper-content-wrapper]")) return;
  window.dispatchEvent(new Event("resize"));
  await window.gallery.still();
}

/** Runs in the page: returns what axe finds, by all rules or only by some. */
async function violations(rules) {
  const { violations } = await window.axe.run(
    {
      // The output of programs in terminals is not ours, and menus are outside of the landmarks.
      exclude: [".xterm-rows", "[data-radix-popper-content-wrapper]"],
    },
    // Nothing here needs the style sheets and sounds that axe would load again.
    { preload: false, resultTypes: ["violations"], ...(rules ? { runOnly: rules } : {}) },
  );
  return violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.html.slice(0, 120)}`));
}
