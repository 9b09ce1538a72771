// The window's life as a process: a second start on the same data folder, signals, and being killed. What runs in the
// host process outlives it.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { sharedChromium } from "../lib/app.mjs";
import { limit } from "../lib/limits.mjs";
import { startModel } from "../lib/model.mjs";
import { colourOf } from "../lib/pane.mjs";
import { Program } from "../lib/program.mjs";
import { startServe } from "../lib/serve.mjs";
import { startSite } from "../lib/site.mjs";
import { until, withWindow } from "./window.mjs";

const bin = fileURLToPath(new URL("../../bin/", import.meta.url));
const environment = (w) => ({
  ...process.env,
  DISPLAY: w.display,
  WAYLAND_DISPLAY: "",
  HOME: w.home,
  GOALPOST_HOME: join(w.home, "data"),
});

/** Starts a goal in the window's own process. Its command runs until it is killed, and locks work/lock. */
async function startGoal(w, model) {
  const dir = join(w.home, "work");
  mkdirSync(dir);
  await w.call("ModelAPI.Save", { id: "played", kind: "openai", base_url: model.url, model: "played" });
  const checks = [{ type: "file", path: "never.txt" }];
  await w.call("GoalAPI.Start", { objective: "wait", checks, dir, provider: "played" });
  await until("the goal's command", () => existsSync(join(dir, "pid")));
  return dir;
}

const waits = [{ tool: "run_command", args: { command: "exec 9>>lock; flock 9; echo $$ >pid; sleep 600" } }];

/** Sends a signal to the window and waits until its process is gone. */
async function signalled(w, signal) {
  const pid = Number(readFileSync(join(w.home, "pid"), "utf8"));
  process.kill(pid, signal);
  await until(`the window's end after ${signal}`, () => !existsSync(`/proc/${pid}/cmdline`) || isZombie(pid));
}

function isZombie(pid) {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true; // gone
  }
}

/** Returns what the command line reports about the only goal. */
function stored(w) {
  const list = spawnSync(join(bin, "goalpost"), ["list", "--json"], { env: environment(w), encoding: "utf8" });
  assert.equal(list.status, 0, list.stderr);
  return JSON.parse(list.stdout).goals[0];
}

/** Returns what the command line reports about the goal, and whether the goal's command still has its lock. */
function left(w, dir) {
  const goal = stored(w);
  const lock = spawnSync("flock", ["-n", join(dir, "lock"), "true"]);
  return {
    state: `${goal.status}/${goal.exit}`,
    commandEnded: lock.status === 0,
  };
}

test(
  "a second window hands over to the first, and its goal outlives SIGTERM until the host process is stopped",
  { timeout: limit(600_000) },
  async () => {
    const model = await startModel(waits);
    try {
      await withWindow(async (w) => {
        await w.sees("welcome");
        const dir = await startGoal(w, model);

        const cover = new Program("display", ["-geometry", "1440x900+0+0", "-size", "1440x900", "xc:#ff0000"], {
          env: environment(w),
        });
        try {
          const red = async () => (await w.pixel(700, 450)).join() === "255,0,0";
          await until("something in front of the window", red);
          const second = new Program(join(bin, "goalpost"), [], { env: environment(w) });
          assert.equal(await second.end(0), 0, second.log);
          assert.match(second.log, /window open on this data folder \(pid \d+\); it is in front now/);
          await until("the first window in front", async () => !(await red()));
        } finally {
          await cover.end();
        }

        // An address shows its goal here; anything else is refused before it reaches this window.
        const { id } = stored(w);
        const open = (...args) =>
          spawnSync(join(bin, "goalpost"), ["open", ...args], { env: environment(w), encoding: "utf8" });
        await w.misses("dashboard");
        for (const address of [
          `goalpost://goal/${id}/../abort`,
          `goalpost://goal/${id}?abort=1`,
          "goalpost://abort/" + id,
        ]) {
          const refused = open("--", address);
          assert.equal(refused.status, 2, refused.stderr);
          assert.match(refused.stderr, /is not the address of a goal/);
        }
        const shown = open("--", `goalpost://goal/${id}`);
        assert.equal(shown.status, 0, shown.stderr);
        await w.sees("dashboard");
        await until("the goal", () =>
          w.page(() => document.querySelector('[data-testid="goal-title"]')?.textContent === "wait"),
        );

        // A phone shows the same goal, through a server that owns nothing.
        const serve = await startServe(w.home, environment(w), join(bin, "goalpost"));
        const phone = await (await sharedChromium()).newPage({ viewport: { width: 390, height: 844 } });
        await phone.goto(`${serve.url}&goal=${id}`);
        await phone.getByTestId("goal-title").getByText("wait", { exact: true }).waitFor();
        await phone.close();
        assert.equal(await serve.program.endServer(), 0, serve.program.log);

        await signalled(w, "SIGTERM");
        assert.deepEqual(left(w, dir), { state: "running/", commandEnded: false });
        const host = spawnSync(join(bin, "goalpost"), ["host", "stop", "--yes"], {
          env: environment(w),
          encoding: "utf8",
        });
        assert.equal(host.status, 0, host.stderr);
        assert.deepEqual(left(w, dir), { state: "paused/interrupted", commandEnded: true });
      });
    } finally {
      model.close();
    }
  },
);

const screenText = () => document.querySelector('[data-testid="terminal"] .xterm-rows')?.textContent ?? "";
const focused = () => document.activeElement?.getAttribute("data-testid") ?? document.activeElement?.className ?? "";
const canvasBox = () => {
  const canvas = document.querySelector('[data-testid="browser-canvas"]');
  const { x, y, width, height } = canvas?.getBoundingClientRect() ?? {};
  return width > 100 && canvas.dataset.drawn ? { x, y, width, height } : null;
};

/** Waits until the lamp of a fixture page shows the colour of some words, and returns where the page is. */
function lamp(w, words) {
  const wanted = colourOf(words);
  return until(`the lamp for "${words}"`, async () => {
    const box = await w.page(canvasBox);
    const seen = box && (await w.pixel(box.x + box.width - 40, box.y + 40));
    return seen && wanted.every((c, i) => Math.abs(c - seen[i]) < 22) && box;
  });
}

test(
  "the window is killed, and opens again on its goal, its editor and its half-filled form",
  { timeout: limit(600_000) },
  async () => {
    const [model, site] = [await startModel(waits), await startSite()];
    try {
      await withWindow(async (w) => {
        await w.sees("welcome");
        await w.click("skip-welcome");
        const dir = await startGoal(w, model);
        const inTerminal = async () => {
          await w.click("terminal");
          await until("the focus in the terminal", async () =>
            (await w.page(focused)).includes("xterm-helper-textarea"),
          );
        };
        await w.click("new-terminal");
        await w.sees("terminal");
        await until("a prompt", async () => /[#$%>]/.test(await w.page(screenText)));
        await inTerminal();
        await w.type(`vi -u NONE ${join(w.home, "notes")}`);
        await w.key("Return");
        await until("the editor", async () => (await w.page(screenText)).includes("~"));
        await w.type("ihalf a");
        await until("the text", async () => (await w.page(screenText)).includes("half a"));
        await w.call("BrowserAPI.Open", {
          url: `${site.url}/keys.html`,
          width: 600,
          height: 400,
        });
        let box = await lamp(w, "Keys");
        await w.clickAt(Math.round(box.x + 60), Math.round(box.y + 34));
        await lamp(w, "focus a");
        await w.key("q");
        await lamp(w, "a=q");

        await signalled(w, "SIGKILL");
        assert.deepEqual(left(w, dir), { state: "running/", commandEnded: false });
        await w.open();

        box = await lamp(w, "a=q"); // the page still has what was typed, and the focus in its field
        await w.clickAt(Math.round(box.x + 60), Math.round(box.y + 34));
        await w.key("End", "e");
        await lamp(w, "a=qe");
        await until("the editor", async () => (await w.page(screenText)).includes("half a"));
        await inTerminal();
        await w.type(" sentence");
        await w.key("Escape");
        await w.type(":wq");
        await w.key("Return");
        const notes = join(w.home, "notes");
        await until("the text in the file", () => existsSync(notes) && readFileSync(notes, "utf8"));
        assert.equal(readFileSync(notes, "utf8"), "half a sentence\n");
        assert.equal((await w.call("GoalAPI.List", {})).goals[0].status, "running");
      });
    } finally {
      model.close();
      site.close();
    }
  },
);

test(
  "the host process is killed: the window starts it again, and can stop everything",
  { timeout: limit(600_000) },
  () =>
    withWindow(async (w) => {
      await w.sees("welcome");
      await w.click("skip-welcome");
      await w.sees("workspace");
      const host = (...args) =>
        spawnSync(join(bin, "goalpost"), ["host", ...args], { env: environment(w), encoding: "utf8" });
      const { pid } = JSON.parse(host("status", "--json").stdout);
      process.kill(pid, "SIGKILL");
      const next = await until("another host process", () => {
        const status = host("status", "--json");
        return status.status === 0 && JSON.parse(status.stdout).pid;
      });
      assert.notEqual(next, pid);
      await until("the page of the new one", () => w.page(() => performance.now() < 5000));
      await w.sees("workspace");
      await w.click("new-terminal");
      await w.sees("terminal");

      const close = () => w.page(() => window.runtime.Quit()); // what the window manager's button does, too
      await close();
      await w.sees("question");
      await w.click("question-no");
      await w.misses("question");
      await close();
      await w.sees("question");
      const window = Number(readFileSync(join(w.home, "pid"), "utf8"));
      await w.click("question-other");
      await until("the window's end", () => !existsSync(`/proc/${window}/cmdline`) || isZombie(window));
      assert.match(host("status").stderr, /no host process runs/);
    }),
);
