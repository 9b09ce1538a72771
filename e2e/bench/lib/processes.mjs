// A process, its descendants and the memory they take.
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // ended
  }
}

/**
 * Returns the program's name without its folder. Chromium's children replace their command line by one with spaces;
 * the name of the helper's file contains a fingerprint.
 */
const named = (command) => basename(command.split(/[\0 ]/)[0]).replace(/-[0-9a-f]{16}$/, "");

function everything() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      // The name of the program is in parentheses and may contain any character.
      const stat = read(`/proc/${name}/stat`);
      const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return {
        pid: Number(name),
        parent: Number(parent),
        name: named(read(`/proc/${name}/cmdline`)),
      };
    });
}

/** Returns `pid` and all of its descendants, as {pid, name}. */
export function tree(pid) {
  const all = everything();
  const found = all.filter((p) => p.pid === pid);
  for (const p of found) found.push(...all.filter((q) => q.parent === p.pid));
  return found;
}

/** Returns how many processes with that name run on the machine. */
export const neighbours = (name) => everything().filter((p) => name.test(p.name)).length;

/** Returns the proportional set size in MB (10^6 bytes) by program name. */
export function memory(pid) {
  const sizes = {};
  for (const p of tree(pid)) {
    const kib = Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${p.pid}/smaps_rollup`))?.[1] ?? 0);
    sizes[p.name] = (sizes[p.name] ?? 0) + (kib * 1024) / 1e6;
  }
  return sizes;
}

const ticks = 100; // per second, in /proc, on every Linux

/** Returns the seconds of processor time so far by program name. */
export function processorTime(pid) {
  const spent = {};
  for (const p of tree(pid)) {
    const stat = read(`/proc/${p.pid}/stat`);
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [user, system] = [Number(fields[11] ?? 0), Number(fields[12] ?? 0)];
    spent[p.name] = (spent[p.name] ?? 0) + (user + system) / ticks;
  }
  return spent;
}
