// The processes that a program has started, by their command line or their home.
import { readdirSync, readFileSync } from "node:fs";

/** Kills a process. It is not an error if the process has already ended. */
export function kill(pid) {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ended
  }
}

const all = () => readdirSync("/proc").filter((n) => /^\d+$/.test(n));

/** The ids of the running processes with this home, whatever their parent is now. */
export function dwellers(home) {
  return all().filter((p) => read(`/proc/${p}/environ`).split("\0").includes(`HOME=${home}`));
}

/** The ids of the descendants of `pid` whose arguments contain `word`; Chromium's children have a --type. */
export function descendants(pid, word) {
  const parents = new Map();
  for (const name of all()) {
    const stat = read(`/proc/${name}/stat`);
    // The name of the program is in parentheses and may contain any character.
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const below = (p) => {
    for (let at = p; at > 1; at = parents.get(at) ?? 0) if (at === pid) return true;
    return false;
  };
  return [...parents.keys()].filter((p) => {
    const line = read(`/proc/${p}/cmdline`).replaceAll("\0", " ");
    return p !== pid && below(p) && line.includes(word) && (word.startsWith("--type") || !line.includes("--type="));
  });
}
