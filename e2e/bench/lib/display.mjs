// A display of our own: Xvfb, whose picture can be read from a file while it changes.
import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Program } from "../../lib/program.mjs";

export const width = 1440;
export const height = 900;

const bytesPerPixel = 4;

export async function openDisplay() {
  const dir = mkdtempSync(join(tmpdir(), "goalpost-screen-"));
  const screen = ["-screen", "0", `${width}x${height}x24`, "-fbdir", dir];
  const server = new Program("Xvfb", ["-displayfd", "1", "-nolisten", "tcp", ...screen]);
  const name = `:${await server.line((text) => /^\d+$/.test(text))}`;
  const picture = openSync(join(dir, "Xvfb_screen0"), "r");
  const start = pixelsFrom(picture);
  return {
    name,
    /** Returns one row of pixels as it is on the screen now. */
    row(y) {
      const row = Buffer.alloc(width * bytesPerPixel);
      readSync(picture, row, 0, row.length, start + y * row.length);
      return new Uint32Array(row.buffer, row.byteOffset, width);
    },
    async close() {
      closeSync(picture);
      await server.end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Returns where the pixels begin in a file in XWD's format: after the header and the colour map. */
function pixelsFrom(file) {
  const head = Buffer.alloc(100);
  readSync(file, head, 0, head.length, 0);
  const headerSize = head.readUInt32BE(0);
  const colours = head.readUInt32BE(76);
  const colourSize = 12;
  return headerSize + colours * colourSize;
}
