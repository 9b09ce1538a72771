import type { DiffLine } from "./hunks";

/** A change with more pairs of lines is shown unchanged. */
const maxPairs = 1_000_000;

/**
 * The lines of a diff, with lines that differ only in white space treated as equal. A hunk without other changes
 * is left out.
 */
export function withoutWhitespace(lines: readonly DiffLine[]): DiffLine[] {
  const out: DiffLine[] = [];
  let hunk: DiffLine[] = [];
  const flush = () => {
    if (hunk.some((l) => l.kind === "add" || l.kind === "del")) out.push(...hunk);
    hunk = [];
  };
  for (let i = 0; i < lines.length;) {
    const line = lines[i];
    if (!line) break;
    if (line.kind === "hunk") flush();
    if (line.kind !== "del" && line.kind !== "add") {
      hunk.push(line);
      i++;
      continue;
    }
    const end = lines.findIndex((l, at) => at > i && l.kind !== "del" && l.kind !== "add" && l.kind !== "note");
    const run = lines.slice(i, end < 0 ? lines.length : end);
    hunk.push(...matched(run));
    i += run.length;
  }
  flush();
  return out;
}

const bare = (line: DiffLine) => line.text.replace(/\s+/g, "");

/** The lines of one change, with the longest common sequence of removed and added lines treated as equal. */
function matched(run: readonly DiffLine[]): DiffLine[] {
  const dels = run.filter((l) => l.kind === "del");
  const adds = run.filter((l) => l.kind === "add");
  if (dels.length * adds.length > maxPairs) return [...run];
  const was = dels.map(bare);
  const is = adds.map(bare);
  const width = adds.length + 1;
  const length = new Uint32Array((dels.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = dels.length - 1; i >= 0; i--) {
    for (let j = adds.length - 1; j >= 0; j--) {
      length[i * width + j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const out: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < dels.length || j < adds.length) {
    const [del, add] = [dels[i], adds[j]];
    if (del && add && was[i] === is[j]) {
      out.push({ kind: "same", was: del.was, is: add.is, text: add.text });
      i++;
      j++;
    } else if (del && (!add || at(i + 1, j) >= at(i, j + 1))) {
      out.push(del);
      i++;
    } else if (add) {
      out.push(add);
      j++;
    }
  }
  return out;
}
