// The window of a newer program finds a host process of an older version: it says so, and can show what that owns.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { limit } from "../lib/limits.mjs";
import { out, until, withWindow } from "./window.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const program = join(root, "bin", "goalpost");
const older = join(out, "goalctl-older");

/** Starts a host process of an older version, by starting a goal in it. */
function startOlder(data) {
  const env = { ...process.env, GOALPOST_HOME: data, HOME: join(data, "..") };
  execFileSync(
    "go",
    ["build", "-trimpath", "-ldflags", "-s -w -X main.version=0.1-older", "-o", older, "./cmd/goalctl"],
    {
      cwd: root,
    },
  );
  execFileSync(older, ["run", "--demo", "--detach"], { env });
}

/** Returns what the host process says, of whatever version it is. */
const status = (w) =>
  JSON.parse(
    execFileSync(program, ["host", "status", "--json"], { env: { ...w.env, HOME: w.home }, encoding: "utf8" }),
  );

test("a newer window waits for the host process of an older version", { timeout: limit(600_000) }, async () => {
  await withWindow(
    async (w) => {
      await w.sees("restart");
      const pid = Number(readFileSync(w.env.SMOKE_PID_FILE, "utf8"));
      await w.click("later"); // the program starts again, without the driver
      await until("the new start", () =>
        readFileSync(`/proc/${pid}/environ`, "utf8").includes("GOALPOST_UPDATE_LATER=1"),
      );
    },
    { first: "database-problem", prepare: startOlder },
  );
});

test("the window shows an older host process, and restarts it", { timeout: limit(600_000) }, async () => {
  await withWindow(
    async (w) => {
      const before = status(w);
      assert.equal(before.version, "0.1-older");
      assert.ok((await w.call("GoalAPI.List", {})).goals.length > 0, "its goals are not shown");
      await w.sees("status-update");
      await w.picture("update-waits");
      await w.click("status-update");
      await w.click("question-yes");
      await until("the end of the older host process", () => !existsSync(`/proc/${before.pid}`));
      await until("the host process of this version", () => {
        const now = status(w);
        return now.version !== "0.1-older" && now.pid !== before.pid;
      });
    },
    { env: { GOALPOST_UPDATE_LATER: "1" }, prepare: startOlder },
  );
});
