// A long coloured log, the same bytes every time.
const colours = [31, 32, 33, 34, 35, 36, 90];
const words = ["compiling", "linked", "warning:", "cache hit", "uploading", "skipped", "retry", "done"];

export const marker = "-- the end of the log --";

/** At least `size` bytes of lines as a build prints them, then the marker on a line of its own. */
export function colouredLog(size) {
  const lines = [];
  let length = 0;
  for (let i = 0; length < size; i++) {
    const colour = colours[i % colours.length];
    const word = words[(i * 7) % words.length];
    const stamp = `12:${String(Math.floor(i / 60) % 60).padStart(2, "0")}:${String(i % 60).padStart(2, "0")}`;
    const rest = "src/part".repeat(1 + (i % 5));
    const line = `\x1b[2m${stamp}\x1b[0m \x1b[1;${colour}m${word}\x1b[0m ${rest}/file-${i}.go \x1b[4m${i * 31}\x1b[0m bytes\r\n`;
    lines.push(line);
    length += line.length; // all of it is ASCII
  }
  lines.push(`${marker}\r\n`);
  return Buffer.from(lines.join(""), "latin1");
}
