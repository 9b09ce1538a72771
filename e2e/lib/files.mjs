// The files that a program stores in its folder, while it is running.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the files below a folder that contain a text. It ignores files that the program removes in the meantime. */
export function filesWith(text, folder) {
  return unlessGone([], () => readdirSync(folder, { withFileTypes: true })).flatMap((entry) => {
    const file = join(folder, entry.name);
    if (entry.isDirectory()) return filesWith(text, file);
    return entry.isFile() && unlessGone("", () => readFileSync(file, "latin1")).includes(text) ? [file] : [];
  });
}

function unlessGone(instead, read) {
  try {
    return read();
  } catch (e) {
    if (e.code === "ENOENT") return instead;
    throw e;
  }
}
