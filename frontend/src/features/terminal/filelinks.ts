import type { IBufferRange, ILink, Terminal } from "@xterm/xterm";

/** A file that exists, at a line that a program printed. */
export interface FileLine {
  path: string;
  line: number;
}

interface FileLinkHandlers {
  /** Returns the paths of those names that are files, seen from where a line of the scrollback was printed. */
  find: (row: number, names: string[]) => Promise<readonly string[]>;
  open: (file: FileLine) => void;
}

/** path:line, path:line:column, and what Python prints. */
const patterns = [/([^\s"'`()[\]{}<>|:;,=]+):(\d+)(?::\d+)?/g, /File "([^"]+)", line (\d+)/g];

/** The most rows of one line that are read, above and below the pointer. */
const maxRows = 10;

/** The places of files in a line. */
export function fileLines(text: string): { name: string; line: number; at: number; length: number }[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((m) => ({
      name: m[1] ?? "",
      line: Number(m[2]),
      at: m.index,
      length: m[0].length,
    })),
  );
}

/** Makes links of the files that programs name with a line, if they exist. */
export function linkFiles(term: Terminal, on: FileLinkHandlers): void {
  term.registerLinkProvider({
    provideLinks: (row, done) => {
      const { text, cells } = readLine(term, row - 1);
      const places = fileLines(text);
      if (places.length === 0) {
        done(undefined);
        return;
      }
      const names = places.map((p) => p.name);
      void on.find(row - 1, names).then((paths) => done(linksOf(places, paths, cells, on.open)));
    },
  });
}

function linksOf(
  places: ReturnType<typeof fileLines>,
  paths: readonly string[],
  cells: readonly IBufferRange["start"][],
  open: FileLinkHandlers["open"],
): ILink[] {
  return places.flatMap(({ line, at, length }, i) => {
    const path = paths[i];
    const [start, end] = [cells[at], cells[at + length - 1]];
    if (!path || !start || !end) return [];
    const activate = (event: MouseEvent) => {
      if (event.button === 0) open({ path, line });
    };
    return [{ range: { start, end }, text: path, activate }];
  });
}

/** The text of a line that may be wrapped over several rows, and the cell of each of its characters. */
function readLine(term: Terminal, row: number): { text: string; cells: IBufferRange["start"][] } {
  const buffer = term.buffer.active;
  let first = row;
  while (first > row - maxRows && buffer.getLine(first)?.isWrapped) first--;
  let text = "";
  const cells: IBufferRange["start"][] = [];
  for (let y = first; y < row + maxRows && (y === first || buffer.getLine(y)?.isWrapped); y++) {
    for (let x = 0; x < term.cols; x++) {
      const cell = buffer.getLine(y)?.getCell(x);
      if (!cell || cell.getWidth() === 0) continue; // the second half of a wide character
      const chars = cell.getChars() || " ";
      text += chars;
      for (let n = 0; n < chars.length; n++) cells.push({ x: x + 1, y: y + 1 });
    }
  }
  return { text, cells };
}
