// Measures what a picture of 200 KB costs the program: from Chromium's pipe to a viewer, and from there over the
// socket to the page, each with its acknowledgement.
import { execFileSync } from "node:child_process";
import { row } from "./lib/figures.mjs";
import { root } from "./lib/programs.mjs";

const runs = 5;

export function measure() {
  const pipe = figures("./backend/panes/browser", "BenchmarkFrame");
  const socket = figures("./backend/panes/stream", "BenchmarkPicture");
  const options = { unit: "ms", digits: 2 };
  return [
    row(
      "processor time of Go for a picture of 200 KB",
      pipe.map((ms, i) => ms + socket[i]),
      { ...options, target: 0.8 },
    ),
    row("– from Chromium's pipe to a viewer, with the writing into the pipe", pipe, options),
    row("– over the socket, with the reading at its other end", socket, options),
  ];
}

/** Returns the processor time of each run, in ms. */
function figures(where, name) {
  const args = ["test", where, "-run", "^$", "-bench", `^${name}$`, "-count", String(runs)];
  const said = execFileSync("go", args, { cwd: root, encoding: "utf8" });
  const found = [...said.matchAll(/([\d.]+) cpu-ms\/op/g)].map((m) => Number(m[1]));
  if (found.length !== runs) throw new Error(`${name} printed no figure:\n${said}`);
  return found;
}
