// A data folder of our own, in which the first start is completed, and the log in it.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { goalpost } from "./programs.mjs";

export function openHome() {
  const path = mkdtempSync(join(tmpdir(), "goalpost-bench-"));
  const state = join(path, "state");
  mkdirSync(state, { mode: 0o700 });
  writeFileSync(join(state, "settings.json"), JSON.stringify({ settings: { welcomed: true } }));
  return {
    path,
    /** Returns what the program has logged so far, oldest first. */
    log() {
      let text = "";
      try {
        text = readFileSync(join(state, "log", "goalpost.log"), "utf8");
      } catch (error) {
        if (error.code !== "ENOENT") throw error;
      }
      // The last line may be incomplete, because the program is still writing it.
      return text
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    },
    /** Ends the host process, which outlives the window, and removes the folder. */
    remove() {
      spawnSync(goalpost, ["host", "stop", "--yes"], {
        env: { ...process.env, GOALPOST_HOME: path },
      });
      rmSync(path, { recursive: true, force: true });
    },
  };
}
