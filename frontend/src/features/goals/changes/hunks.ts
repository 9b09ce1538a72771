/** One line of a unified diff, or the head of a hunk. */
export interface DiffLine {
  kind: "hunk" | "same" | "add" | "del" | "note";
  /** Line numbers before and after, from 1; 0 if the line does not exist there. */
  was: number;
  is: number;
  text: string;
}

/** One row of two columns; a side without a line is empty. */
export interface DiffPair {
  left: DiffLine | null;
  right: DiffLine | null;
}

const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** The lines of a unified diff without its file names. */
export function parseHunks(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let was = 0;
  let is = 0;
  for (const line of text.split("\n")) {
    const found = head.exec(line);
    if (found) {
      was = Number(found[1]);
      is = Number(found[2]);
      lines.push({ kind: "hunk", was, is, text: line });
    } else if (line.startsWith("+")) lines.push({ kind: "add", was: 0, is: is++, text: line.slice(1) });
    else if (line.startsWith("-")) lines.push({ kind: "del", was: was++, is: 0, text: line.slice(1) });
    else if (line.startsWith(" ")) lines.push({ kind: "same", was: was++, is: is++, text: line.slice(1) });
    else if (line.startsWith("\\")) lines.push({ kind: "note", was: 0, is: 0, text: line.slice(1).trim() });
  }
  return lines;
}

/** The same lines side by side: removed lines beside those that replaced them. */
export function pairLines(lines: readonly DiffLine[]): DiffPair[] {
  const rows: DiffPair[] = [];
  let dels: DiffLine[] = [];
  let adds: DiffLine[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(dels.length, adds.length); i++)
      rows.push({ left: dels[i] ?? null, right: adds[i] ?? null });
    dels = [];
    adds = [];
  };
  for (const line of lines) {
    if (line.kind === "del") {
      if (adds.length > 0) flush();
      dels.push(line);
    } else if (line.kind === "add") adds.push(line);
    else if (line.kind !== "note") {
      flush();
      rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}

/** The part of two lines between their common beginning and end; `null` if they have too little in common. */
export function changedPart(was: string, is: string): { was: [number, number]; is: [number, number] } | null {
  const most = Math.min(was.length, is.length);
  let start = 0;
  while (start < most && was[start] === is[start]) start++;
  let end = 0;
  while (end < most - start && was[was.length - 1 - end] === is[is.length - 1 - end]) end++;
  if ((start + end) * 3 < Math.max(was.length, is.length)) return null;
  return { was: [start, was.length - end], is: [start, is.length - end] };
}
