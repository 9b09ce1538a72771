// The window's life as a process: a second start on the same data folder, and signals.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { limit } from "../lib/limits.mjs";
import { startModel } from "../lib/model.mjs";
import { Program } from "../lib/program.mjs";
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
  await w.page(
    async (url, dir) => {
      const { ModelAPI, GoalAPI } = window.go.calls;
      await ModelAPI.Save({ id: "played", kind: "openai", base_url: url, model: "played" });
      const check = { type: "file", path: "never.txt" };
      await GoalAPI.Start({ objective: "wait", checks: [check], dir, provider: "played" });
    },
    model.url,
    dir,
  );
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
  return { state: `${goal.status}/${goal.exit}`, commandEnded: lock.status === 0 };
}

test(
  "a second window hands over to the first, and SIGTERM interrupts its goal without asking",
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

        await signalled(w, "SIGTERM");
        assert.deepEqual(left(w, dir), { state: "paused/interrupted", commandEnded: true });
      });
    } finally {
      model.close();
    }
  },
);

test("the window whose terminal hangs up interrupts its goal, too", { timeout: limit(600_000) }, async () => {
  const model = await startModel(waits);
  try {
    await withWindow(async (w) => {
      await w.sees("welcome");
      const dir = await startGoal(w, model);
      await signalled(w, "SIGHUP");
      assert.deepEqual(left(w, dir), { state: "paused/interrupted", commandEnded: true });
    });
  } finally {
    model.close();
  }
});
