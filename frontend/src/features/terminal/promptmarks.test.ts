import { Terminal } from "@xterm/xterm";
import { expect, test } from "vitest";
import { Prompts } from "./promptmarks";

test("a command runs from the shell's mark at its start to the one at its end", async () => {
  const term = new Terminal({ allowProposedApi: true });
  const prompts = new Prompts(term);
  const after = async (text: string) => {
    await new Promise<void>((done) => term.write(text, done));
    return prompts.hasCommand;
  };
  const mark = (kind: string) => `\x1b]133;${kind}\x07`;
  expect(await after("plain output, no marks\r\n")).toBe(false);
  expect(await after(`${mark("A")}$ ${mark("B")}sleep 500`)).toBe(false);
  expect(await after(`\r\n${mark("C")}`)).toBe(true);
  expect(await after("output\r\n")).toBe(true);
  expect(await after(mark("D;130"))).toBe(false);
  expect(await after(`${mark("A")}$ ${mark("B")}vi${mark("C")}`)).toBe(true);
  expect(await after(mark("A"))).toBe(false); // a new shell, after the old one was ended
  term.dispose();
});
