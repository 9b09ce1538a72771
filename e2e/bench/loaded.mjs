// Key echo and click to frame while the programs of a goal work as four jobs of make do.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measured, withClickPages } from "./click.mjs";
import { echo } from "./echo.mjs";
import { row } from "./lib/figures.mjs";
import { withPage } from "./lib/page.mjs";
import { root } from "./lib/programs.mjs";

// Each job starts short programs that use a core, as a compiler does, until the sandbox ends.
const makefile = "all: 1 2 3 4\n1 2 3 4:\n\twhile :; do head -c 9000000 /dev/urandom | gzip >/dev/null; done\n";

export async function measure() {
  const rows = [];
  await withPage(async (page) => {
    await withClickPages(async (base) => {
      await withLoad(async () => {
        const id = await page.openTerminal();
        rows.push(row("key echo, bash, make -j4 in a goal", await echo(page, id), { target: 40, tail: true }));
        const still = await measured(page, `${base}/still`);
        rows.push(row("click to frame, still page, make -j4 in a goal", still.seen, { target: 150, tail: true }));
        const animated = await measured(page, `${base}/animated`);
        rows.push(row("click to frame, animated page, make -j4 in a goal", animated.seen, { target: 250, tail: true }));
      });
    });
  });
  return rows;
}

/** Runs the load in the sandbox of a goal, with a data folder of its own, while `use` runs. */
async function withLoad(use) {
  const home = mkdtempSync(join(tmpdir(), "gp-load-"));
  const dir = join(home, "work");
  mkdirSync(dir);
  writeFileSync(join(dir, "Makefile"), makefile);
  const load = spawn(join(root, "bin/goalctl"), ["sandbox", "--dir", dir, "--", "sh", "-c", "echo begun; make -j4"], {
    env: { ...process.env, GOALPOST_HOME: join(home, "data") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(load, "exit");
  try {
    await Promise.race([
      once(load.stdout, "data"),
      exited.then(([code]) => Promise.reject(new Error(`load: ${code}`))),
    ]);
    await use();
  } finally {
    load.kill("SIGTERM");
    await exited.catch(() => undefined);
    rmSync(home, { recursive: true, force: true });
  }
}
