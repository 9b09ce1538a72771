// The real window on a database that cannot be read: it says so, keeps the file, and begins anew with one click.
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { limit } from "../lib/limits.mjs";
import { withWindow } from "./window.mjs";

test("a damaged database in the real window", { timeout: limit(600_000) }, async () => {
  const damaged = "this is no database\n".repeat(500);
  let state;
  await withWindow(
    async (w) => {
      await w.picture("database-problem");
      await w.click("start-anew");
      await w.sees("restart");
      const kept = readdirSync(state).find((name) => name.startsWith("goalpost-broken-"));
      assert.equal(readFileSync(join(state, kept), "utf8"), damaged);
    },
    {
      first: "database-problem",
      prepare: (data) => {
        state = join(data, "state");
        mkdirSync(state, { recursive: true, mode: 0o700 });
        writeFileSync(join(state, "goalpost.db"), damaged, { mode: 0o600 });
      },
    },
  );
});
