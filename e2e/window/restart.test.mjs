// Everything is killed, the window and the host process: the next window shows the same picture.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { filesWith } from "../lib/files.mjs";
import { limit } from "../lib/limits.mjs";
import { until, withWindow } from "./window.mjs";

const goalpost = fileURLToPath(new URL("../../bin/goalpost", import.meta.url));

/** What a user sees of the open workspace: the window, the tabs, the panes with their places, and which has the focus. */
const seen = () => ({
  window: [innerWidth, innerHeight],
  tabs: [...document.querySelectorAll("[data-testid=workspace-tab]")].map((t) => [t.innerText, t.ariaSelected]),
  panes: Object.fromEntries(
    [...document.querySelectorAll("[data-testid=pane]")]
      .map((p) => [p.dataset.pane, p.getBoundingClientRect()])
      .filter(([, place]) => place.width > 0)
      .map(([id, { x, y, width, height }]) => [id, [x, y, width, height].map(Math.round).join(" ")]),
  ),
  focus: document.activeElement?.closest("[data-testid=pane]")?.dataset.pane ?? "",
});

/** Shows the nth workspace, which has `panes` panes, and returns what is seen when nothing moves any more. */
async function workspace(w, n, panes) {
  await w.key(`ctrl+shift+${n}`);
  let before;
  return until(`workspace ${n} at rest`, async () => {
    const now = await w.page(seen);
    const isOpen = now.tabs[n - 1][1] === "true" && Object.keys(now.panes).length === panes && now.focus !== "";
    const rests = isOpen && JSON.stringify(now) === JSON.stringify(before);
    before = now;
    return rests && now;
  });
}

async function make(w, folder, preset, panes) {
  mkdirSync(folder);
  await w.click("new-workspace");
  await w.opens("new-workspace-dialog");
  await w.click("field-folder");
  const isAt = () => document.activeElement?.getAttribute("data-testid") === "field-folder";
  await until("the focus in the folder's field", () => w.page(isAt));
  await w.type(folder);
  const typed = () => document.querySelector("[data-testid=field-folder]").value;
  await until("the folder in its field", async () => (await w.page(typed)) === folder);
  await w.click(`preset-${preset}`);
  const chosen = (id) => document.querySelector(`[data-testid="${id}"]`).ariaChecked === "true";
  await until("the chosen preset", () => w.page(chosen, `preset-${preset}`));
  await w.key("ctrl+Return");
  await w.misses("new-workspace-dialog");
  await until("its panes", async () => Object.keys((await w.page(seen)).panes).length === panes);
}

test(
  "twelve panes in three workspaces and a maximised window come back after a kill",
  { timeout: limit(600_000) },
  () =>
    withWindow(
      async (w) => {
        await w.sees("welcome");
        await w.click("skip-welcome");
        await w.key("ctrl+shift+t");
        await w.sees("terminal");
        await w.key("ctrl+shift+d");
        await until("another terminal", async () => Object.keys((await w.page(seen)).panes).length === 2);
        await make(w, join(w.home, "shop"), "2x2", 4);
        await make(w, join(w.home, "infra"), "3x2", 6);
        await maximise(w);
        const panes = [2, 4, 6];
        const before = [];
        for (const [at, count] of panes.entries()) before.push(await workspace(w, at + 1, count));
        await w.type("echo kept-for-the-next-window");
        await w.key("Return");
        const state = join(w.home, "data", "state");
        const isDatabase = (file) => file.includes(".db");
        await until("the terminals to be saved", () => filesWith("kept-for-the-next-window", state).some(isDatabase));
        const first = await workspace(w, 2, 4);
        await w.key("alt+Right"); // another pane than the one that a workspace opens with
        before[1] = await until("another pane with the focus", async () => {
          const now = await workspace(w, 2, 4);
          return now.focus !== first.focus && now;
        });
        const layout = `"activeGroup":"g-${before[1].focus}"`;
        const saved = () => w.call("WorkspaceAPI.Layout", "w2");
        await until("the layout to be saved", async () => (await saved()).includes(layout));

        await killAll(w);
        await w.open();
        await until("the workspace that was open", async () => {
          assert.deepEqual(await w.page(seen), before[1]);
          return true;
        });
        for (const [at, count] of panes.entries()) {
          const now = await workspace(w, at + 1, count);
          assert.deepEqual({ ...now, focus: "" }, { ...before[at], focus: "" });
        }
      },
      { width: 1680, height: 1050, managed: true },
    ),
);

async function maximise(w) {
  await w.page(() => window.runtime.WindowMaximise());
  await until("a maximised window", () => w.page(() => innerWidth === screen.width));
  const file = join(w.home, "data", "state", "window.json");
  await until("its place to be saved", () => JSON.parse(readFileSync(file, "utf8")).maximised);
}

/** Kills the window before the host process, which the window would start again. */
async function killAll(w) {
  const status = spawnSync(goalpost, ["host", "status", "--json"], { env: w.env, encoding: "utf8" });
  const pids = [Number(readFileSync(join(w.home, "pid"), "utf8")), JSON.parse(status.stdout).pid];
  for (const pid of pids) {
    process.kill(pid, "SIGKILL");
    await until(`the end of ${pid}`, () => isGone(pid));
  }
}

function isGone(pid) {
  const file = `/proc/${pid}/status`;
  return !existsSync(file) || /^State:\s+Z/m.test(readFileSync(file, "utf8"));
}
