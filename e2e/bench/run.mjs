// Measures what the arguments name, or everything, and prints a table in Markdown:
//   node e2e/bench/run.mjs [start] [memory] [panes] [echo] [flood] [click] [frames] [picture] [snapshot] [loaded] [drag] [hidden] [chat] [file]
import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import { goalpost, root } from "./lib/programs.mjs";

const figures = [
  "start",
  "memory",
  "panes",
  "echo",
  "flood",
  "click",
  "frames",
  "picture",
  "snapshot",
  "loaded",
  "drag",
  "hidden",
  "chat",
  "file",
];
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !figures.includes(name));
if (unknown.length > 0) {
  console.error(`there is no figure ${unknown.join(", ")}: choose from ${figures.join(", ")}`);
  process.exit(2);
}

const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const load = () => loadavg()[0].toFixed(1);

const [cpu] = cpus();
const gib = Math.round(totalmem() / 2 ** 30);
console.log(`${new Date().toISOString().slice(0, 16)}Z, commit ${git("rev-parse", "--short", "HEAD")}`);
// The program may have been built before the last commits.
console.log(execFileSync(goalpost, ["version"], { encoding: "utf8" }).trim());
console.log(`${cpus().length} × ${cpu.model.trim()}, ${gib} GiB, Node ${process.version}, Xvfb 1440x900\n`);
console.log("| figure | median | p95 | unit | n | target | met | load |");
console.log("|---|--:|--:|---|--:|---|---|--:|");
for (const name of wanted.length > 0 ? wanted : figures) {
  const before = load();
  const { measure } = await import(`./${name}.mjs`);
  try {
    for (const r of await measure()) {
      console.log(`| ${[r.what, r.median, r.p95, r.unit, r.n, r.target, r.met, `${before}–${load()}`].join(" | ")} |`);
    }
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}
