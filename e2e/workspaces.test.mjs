// Workspaces in tabs and a goal's own tab, measured as a user sees them: the places of the panes, and the sizes that the
// pages report in their titles.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { complaints, sharedChromium, withApp } from "./lib/app.mjs";
import { addProvider, startGoal } from "./lib/goals.mjs";
import { limit } from "./lib/limits.mjs";
import { startModel } from "./lib/model.mjs";
import { keep, startServe } from "./lib/serve.mjs";
import { until } from "./window/window.mjs";

const goalctl = join(fileURLToPath(new URL("../", import.meta.url)), "bin", "goalctl");
/** A page whose title is its size, and then how far it is scrolled. */
const sizePage = `<!doctype html><title>-</title><body style="height:5000px"><script>
const say = () => (document.title = innerWidth + "x" + innerHeight + (scrollY ? " at " + Math.round(scrollY) : ""));
addEventListener("resize", say); addEventListener("scroll", say); say();
</script>`;

async function startSizes() {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(sizePage);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** The places of the panes that are drawn, by id. */
const places = (page) =>
  page.getByTestId("pane").evaluateAll((panes) =>
    Object.fromEntries(
      panes.map((p) => {
        const { x, y, width, height } = p.getBoundingClientRect();
        return [p.dataset.pane, [x, y, width, height].map(Math.round).join(" ")];
      }),
    ),
  );

/** Waits until as many drawn pages show their size as they should, all the same if `same`, and returns the sizes. */
async function sizes(page, n, same = false) {
  const found = await page.waitForFunction(
    ([n, same]) => {
      const titles = [...document.querySelectorAll("[data-testid=pane-title]")].map((t) => t.textContent);
      const sizes = titles.filter((t) => /^\d+x\d+$/.test(t));
      return sizes.length === n && (!same || new Set(sizes).size === 1) && sizes;
    },
    [n, same],
  );
  return found.jsonValue();
}

test(
  "three goals move no pane of the user, and their pages keep their size",
  { timeout: limit(400_000) },
  async (t) => {
    const site = await startSizes();
    let finish;
    const finished = new Promise((done) => (finish = done));
    const serve = `'${goalctl}' static --listen 127.0.0.1:8080 . & until curl -s 127.0.0.1:8080 >/dev/null; do sleep 0.1; done`;
    const model = await startModel([
      (body) => {
        const results = body.messages.filter((m) => m.role === "tool");
        const pane = JSON.stringify(results).match(/pane (t\d+)/)?.[1] ?? "none";
        return [
          { tool: "terminal_open", args: { title: "server" } },
          { tool: "terminal_run", args: { pane, command: serve } },
          { tool: "browser_open", args: { url: "http://127.0.0.1:8080/index.html" } },
          { tool: "run_command", args: { command: "touch done.txt" }, wait: finished },
          { tool: "claim_complete", args: { rationale: "done.txt exists" } },
        ][Math.min(results.length, 4)];
      },
    ]);
    try {
      await withApp(t, ({ page, home, url }) => walk(page, home, url, model, site, finish));
    } finally {
      finish();
      model.close();
      site.close();
    }
  },
);

async function walk(page, home, url, model, site, finish) {
  const at = (id) => page.getByTestId(id);
  await addProvider(page, model);
  await page.keyboard.press("Control+Shift+KeyT");
  await at("terminal").first().waitFor();
  await page.keyboard.press("Control+Shift+KeyD");
  await at("terminal").nth(1).waitFor();
  for (const n of [0, 1]) {
    await page.keyboard.press(n === 0 ? "Control+Shift+KeyB" : "Control+Shift+KeyD");
    await at("browser-address").nth(n).fill(site.url);
    await at("browser-address").nth(n).press("Enter");
    await sizes(page, n + 1);
  }
  const before = await places(page);
  assert.equal(Object.keys(before).length, 4);
  // Both panes are as large, and a page gets the size of its pane a moment after it is there.
  const pages = await sizes(page, 2, true);

  for (const name of ["one", "two", "three"]) {
    const dir = join(home, name);
    mkdirSync(dir);
    writeFileSync(join(dir, "index.html"), sizePage);
    await startGoal(page, { objective: `make ${name} right`, dir, command: "test -f done.txt" });
  }
  await at("rail-workspace").click();
  const tab = (name) => at("goal-tab").filter({ hasText: `make ${name} right` });
  for (const name of ["one", "two", "three"]) {
    await tab(name).click();
    assert.deepEqual(await sizes(page, 1), ["1280x800"]);
    await at("pane-scaled").getByText("1280 × 800").waitFor();
    assert.equal(await at("pane").count(), 2, "a goal's tab has other panes, too");
  }
  await at("own-tab").click();
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=pane]").length === 4);
  assert.deepEqual(await places(page), before, "a goal moved a pane of the user");
  assert.deepEqual(await sizes(page, 2), pages);

  // A phone that shows something else changes nothing, and neither does one that shows the panes.
  const phone = await (await sharedChromium()).newContext({ viewport: { width: 390, height: 844 } });
  const hand = await phone.newPage();
  await hand.goto(url);
  await hand.getByTestId("rail-workspace").click();
  await hand.getByTestId("pane-scaled").first().waitFor();
  assert.deepEqual(await sizes(page, 2), pages, "a phone changed the size of a page");
  await hand.getByTestId("rail-goals").click();
  await hand.setViewportSize({ width: 320, height: 500 });
  assert.deepEqual(await sizes(page, 2), pages, "a hidden phone changed the size of a page");
  await phone.close();

  // A pane of a goal beside one's own, and back.
  await tab("one").click();
  await at("show-beside").click();
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=pane]").length === 5);
  await page.keyboard.press("Control+Shift+KeyL");
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=pane]").length === 2);

  // The panes of a goal that has ended close a minute after the user has left them and its server has ended, unless the
  // user keeps them.
  finish();
  await at("panes-close").waitFor();
  await at("panes-close").getByText("Keep").click();
  await at("panes-close").waitFor({ state: "detached" });
  await tab("two").click();
  await at("panes-close").getByText("close a minute after you leave").waitFor();
  await page.getByRole("button", { name: "Close server" }).click();
  await page.waitForFunction(() => document.querySelectorAll("[data-testid=pane]").length === 1);
  await at("own-tab").click();
  await tab("two").waitFor({ state: "detached", timeout: limit(150_000) });
  await tab("one").waitFor();
  await tab("three").waitFor(); // it serves
}

test("workspaces are made, used by keys, and come back after a kill", { timeout: limit(300_000) }, async (t) => {
  const site = await startSizes();
  const home = mkdtempSync(join(tmpdir(), "goalpost-e2e-"));
  const folders = ["shop", "infra"].map((name) => join(home, name));
  for (const dir of folders) mkdirSync(dir);
  const context = await (await sharedChromium()).newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(limit(60_000));
  let { program, url } = await startServe(home);
  let page = await context.newPage();
  try {
    await page.goto(url);
    await page.getByTestId("skip-welcome").click();
    await make(page, folders[0], "2x2");
    await make(page, folders[1], "3x2");
    await open(page, 0);
    await page.keyboard.press("Control+Shift+KeyT");
    await page.getByTestId("terminal").waitFor();
    await page.keyboard.press("Control+Shift+KeyB");
    await page.getByTestId("browser-address").fill(site.url);
    await page.getByTestId("browser-address").press("Enter");
    await sizes(page, 1);
    await page.getByTestId("browser-canvas").hover();
    await page.mouse.wheel(0, 900);
    await page.getByTestId("pane-title").getByText("at 900").waitFor();

    // The keys, a new name and another order.
    await page.keyboard.press("Control+PageUp");
    await selected(page, "infra");
    await page.keyboard.press("Control+Shift+Digit2");
    await selected(page, "shop");
    // Those of a hidden workspace are not drawn.
    await page.waitForFunction(() => document.querySelectorAll('[data-testid="pane"]').length === 4);
    await page.getByTestId("workspace-tab").filter({ hasText: "shop" }).focus();
    await page.keyboard.press("F2");
    await page.getByTestId("workspace-name").fill("storefront");
    await page.keyboard.press("Enter");
    await page.getByTestId("workspace-tab").filter({ hasText: "storefront" }).focus();
    await page.keyboard.press("Alt+Shift+ArrowRight");
    await names(page, ["Workspace", "infra", "storefront"]);

    // Everything is saved within a moment; then the program is killed.
    const before = await pictures(page);
    assert.deepEqual(before.map((b) => Object.keys(b).length).sort(), [2, 4, 6]);
    await open(page, 2);
    const chosen = await page.getByTestId("pane").nth(2).getAttribute("data-pane");
    const terminal = () => page.locator(`[data-testid="pane"][data-pane="${chosen}"]`);
    await terminal().click();
    await page.keyboard.type("echo kept-$((6*7))\n");
    await terminal().getByText("kept-42").first().waitFor();
    await until("the terminals to be saved", () => holds(home, "kept-42"));
    await until("the layout to be saved", () => holds(home, `"activeGroup":"g-${chosen}"`));
    await program.end("SIGKILL");
    await page.close();
    ({ program, url } = await startServe(home));
    page = await context.newPage();
    await page.goto(url);
    await names(page, ["Workspace", "infra", "storefront"]);
    await selected(page, "storefront");
    await terminal().getByText("kept-42").first().waitFor();
    // The pane that had the focus has it again, and its shell reads.
    await page.waitForFunction(
      (id) => document.activeElement?.closest("[data-testid=pane]")?.dataset.pane === id,
      chosen,
    );
    await page.keyboard.type("echo read-$((6*7))\n");
    await terminal().getByText("read-42").first().waitFor();
    assert.deepEqual(await pictures(page), before);
    await open(page, 0);
    await page.getByTestId("pane-title").getByText("at 900").waitFor();
  } catch (error) {
    await keep(t.name, page, program, []);
    throw error;
  } finally {
    await context.close();
    await program.end();
    site.close();
    rmSync(home, { recursive: true, force: true });
  }
});

async function make(page, folder, preset) {
  await page.getByTestId("new-workspace").click();
  await page.getByTestId("field-folder").fill(folder);
  await page.getByTestId(`preset-${preset}`).click();
  await page.keyboard.press("Control+Enter");
  await page.getByTestId("new-workspace-dialog").waitFor({ state: "detached" });
  await selected(page, folder.split("/").at(-1));
  const [columns, rows] = preset.split("x").map(Number);
  await page.waitForFunction((n) => document.querySelectorAll("[data-testid=pane]").length === n, columns * rows);
  assert.equal(await page.getByTestId("pane-dir").first().getAttribute("title"), folder);
  // Each pane has a place of its own, and the first one reads the keys.
  await page.waitForFunction((n) => document.querySelectorAll(".dv-groupview").length === n, columns * rows);
  await page.waitForFunction(() => Boolean(document.activeElement?.closest("[data-testid=pane]")));
}

/** Whether the database has a text, in whichever of its files. */
function holds(home, text) {
  const state = join(home, "state");
  return readdirSync(state)
    .filter((name) => name.includes(".db"))
    .some((name) => readFileSync(join(state, name)).includes(text));
}

const open = (page, n) => page.getByTestId("workspace-tab").nth(n).click();

const selected = (page, name) =>
  page.locator(`[data-testid="workspace-tab"][aria-selected="true"]`).filter({ hasText: name }).waitFor();

const names = (page, wanted) =>
  page.waitForFunction(
    (w) => [...document.querySelectorAll("[data-testid=workspace-tab]")].map((t) => t.innerText).join() === w,
    wanted.join(),
  );

/** The places of the panes of each workspace. */
async function pictures(page) {
  const all = [];
  for (let n = 0; n < (await page.getByTestId("workspace-tab").count()); n++) {
    await open(page, n);
    const count = [2, 6, 4][n];
    await page.waitForFunction((c) => document.querySelectorAll("[data-testid=pane]").length === c, count);
    await page.waitForFunction(() => document.querySelector(".dv-tab") !== null);
    all.push(await places(page));
  }
  return all;
}

test("a phone shows the panes of all workspaces, and makes one", { timeout: limit(200_000) }, (t) =>
  withApp(t, async ({ page, home, said }) => {
    mkdirSync(join(home, "shop"));
    await page.getByTestId("skip-welcome").click();
    await make(page, join(home, "shop"), "2x1");
    const panes = await page.getByTestId("pane").evaluateAll((all) => all.map((p) => p.dataset.pane));
    await page.setViewportSize({ width: 360, height: 740 });
    const picker = page.getByTestId("pane-picker");
    const groups = () =>
      picker.evaluate((p) =>
        [...p.querySelectorAll("optgroup")].map((g) => [g.label, [...g.children].map((o) => o.value)]),
      );
    const all = await groups();
    assert.deepEqual(
      all.map(([name]) => name),
      ["Workspace", "shop"],
    );
    assert.deepEqual(all[1][1].toSorted(), panes.toSorted());
    assert.ok((await picker.boundingBox()).height >= 44, "a finger misses the picker");

    // The empty workspace, in which a terminal is opened; then a pane of the other one.
    await picker.selectOption({ label: "No panes" });
    await page.getByTestId("pane").first().waitFor({ state: "detached" });
    await picker.selectOption({ label: "New terminal" });
    await page.getByTestId("terminal").waitFor();
    assert.equal((await groups())[0][1].length, 1);
    await picker.selectOption(panes[1]);
    await page.locator(`[data-testid="pane"][data-pane="${panes[1]}"]`).waitFor();
    assert.equal(await picker.inputValue(), panes[1]);

    await picker.selectOption({ label: "New workspace…" });
    await page.getByTestId("field-workspace-name").fill("by phone");
    await page.getByTestId("workspace-create").click();
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=pane-picker] optgroup").length === 3);
    const made = (await groups())[2];
    assert.equal(made[0], "by phone");
    await page.locator(`[data-testid="pane"][data-pane="${made[1][0]}"]`).waitFor();
    assert.deepEqual(complaints(said), []);
  }),
);

test("a workspace is exported, dragged, closed and imported", { timeout: limit(200_000) }, (t) =>
  withApp(t, async ({ page, home, said }) => {
    const [shop, ran, file] = ["shop", "ran", "shop.json"].map((name) => join(home, name));
    mkdirSync(shop);
    await page.getByTestId("skip-welcome").click();
    await make(page, shop, "3x3");
    const tab = (name) => page.getByTestId("workspace-tab").filter({ hasText: name });
    const choose = async (name, item) => {
      await tab(name).click({ button: "right" });
      await page.getByRole("menuitem", { name: item }).click();
    };
    const [download] = await Promise.all([page.waitForEvent("download"), choose("shop", "Export…")]);
    const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
    assert.equal(saved.panes.length, 9);
    assert.deepEqual([saved.name, saved.folder, saved.panes[0].dir], ["shop", shop, shop]);

    await tab("shop").dragTo(tab("Workspace"));
    await names(page, ["shop", "Workspace"]);
    await choose("shop", "Close");
    await page.getByText("9 terminals in it will be closed").first().waitFor();
    await page.getByTestId("question-yes").click();
    await names(page, ["Workspace"]);

    // What an imported file would run waits until the user presses Enter.
    saved.panes[4].command = `touch '${ran}'`;
    writeFileSync(file, JSON.stringify({ ...saved, name: "copy" }));
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), choose("Workspace", "Import…")]);
    await chooser.setFiles(file);
    await names(page, ["Workspace", "copy"]);
    await selected(page, "copy");
    await page.getByText("A command waits at its prompt").first().waitFor();
    await page.waitForFunction(() => document.querySelectorAll("[data-testid=pane]").length === 9);
    const waiting = page.getByTestId("terminal").filter({ hasText: "touch" });
    await waiting.waitFor();
    assert.ok(!existsSync(ran), "an imported command ran automatically");
    await waiting.locator(".xterm-screen").click();
    await page.keyboard.press("Enter");
    await until("the command to run", () => existsSync(ran));
    assert.deepEqual(complaints(said), []);
  }),
);
