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

test("a command that failed is kept with its folder and its output", async () => {
  const term = new Terminal({ allowProposedApi: true, cols: 20 });
  const prompts = new Prompts(term);
  const write = (text: string) => new Promise<void>((done) => term.write(text, done));
  const mark = (kind: string) => `\x1b]133;${kind};goalpost=x\x07`;
  const runs = async (command: string, output: string, exit: number) => {
    await write(`${mark("A")}$ ${mark("B")}${command}\r\n`);
    await write(`${mark(`C;cmdline_url=${encodeURIComponent(command)}`)}${output}${mark(`D;${exit}`)}`);
  };
  await runs("true", "", 0);
  expect(prompts.failed).toBeNull();
  await write("\x1b]7;file://host/home/ada/my%20shop\x07");
  await runs("npm test; false", "one line that is longer than the screen\r\ntwo\r\n", 3);
  const failed = {
    command: "npm test; false",
    dir: "/home/ada/my shop",
    exit: 3,
    output: "one line that is longer than the screen\ntwo",
  };
  expect(prompts.failed).toEqual(failed);
  await runs("ls", "a b\r\n", 0);
  expect(prompts.failed).toEqual(failed);
  await write(`${mark("A")}$ ${mark("C;cmdline_url=%zz")}${mark("D;1")}`); // no command that can be read
  expect(prompts.failed).toEqual(failed);
  await runs("npm test; false", "fine\r\n", 0);
  expect(prompts.failed).toBeNull();
  term.dispose();
});

test("the output of a command is read: of the newest one, of one that is chosen", async () => {
  const term = new Terminal({ allowProposedApi: true, cols: 30, rows: 6 });
  const prompts = new Prompts(term);
  const told: (string | undefined)[] = [];
  prompts.onBlock = (block) => told.push(block?.command);
  const write = (text: string) => new Promise<void>((done) => term.write(text, done));
  const mark = (kind: string) => `\x1b]133;${kind};goalpost=x\x07`;
  const begin = (command: string) =>
    write(`${mark("A")}$ ${mark("B")}${command}\r\n${mark(`C;cmdline_url=${encodeURIComponent(command)}`)}`);
  const runs = async (command: string, output: string, exit: number) => {
    await begin(command);
    await write(`${output}${mark(`D;${exit}`)}`);
  };
  expect(prompts.block).toBeNull();
  await runs("first", "a long line that is wrapped by the terminal\r\nlast, without an end", 1);
  expect(prompts.block).toEqual({ command: "first", exit: 1 });
  await runs("second", "2a\r\n2b\r\n", 0);
  expect(prompts.output()).toBe("2a\n2b");

  prompts.choose(1); // within the output of the first
  expect(prompts.block?.command).toBe("first");
  expect(prompts.output()).toBe("a long line that is wrapped by the terminal\nlast, without an end");

  await begin("third");
  expect(prompts.block).toEqual({ command: "third", exit: null }); // a new command is the chosen one
  await write("now");
  expect(prompts.output()).toBe("now");
  await write(`\r\n${mark("D;0")}${mark("A")}$ ${mark("B")}`);
  expect(prompts.output()).toBe("now");
  expect(told).toContain("third");
  term.dispose();
});

test("a command whose beginning has left the scrollback still has its output", async () => {
  const term = new Terminal({ allowProposedApi: true, cols: 30, rows: 6, scrollback: 20 });
  const prompts = new Prompts(term);
  const write = (text: string) => new Promise<void>((done) => term.write(text, done));
  await write("\x1b]133;A\x07$ \x1b]133;B\x07seq\r\n\x1b]133;C;cmdline_url=seq\x07");
  for (let n = 1; n <= 100; n++) await write(`line ${n}\r\n`);
  await write("\x1b]133;D;3\x07\x1b]133;A\x07$ ");
  expect(prompts.block).toEqual({ command: "seq", exit: 3 });
  expect(prompts.failed?.output).toContain("line 100");
  expect(prompts.output().split("\n").at(-1)).toBe("line 100");
  expect(prompts.output()).not.toContain("line 1\n");
  term.dispose();
});
