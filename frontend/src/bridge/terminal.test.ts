import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeDial } from "./fake/socket";
import { openTerminal } from "./terminal";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function chunk(offset: number, text: string): ArrayBuffer {
  const bytes = new TextEncoder().encode(text);
  const out = new Uint8Array(8 + bytes.length);
  new DataView(out.buffer).setBigUint64(0, BigInt(offset));
  out.set(bytes, 8);
  return out.buffer;
}

function start(opened = true) {
  const wire = fakeDial();
  const seen = {
    text: "",
    ends: [] as number[],
    lost: [] as number[][],
    exits: [] as number[],
    refused: [] as string[],
    links: [] as string[],
  };
  const stream = openTerminal(wire.dial, "t1", {
    data: (bytes, end) => {
      seen.text += new TextDecoder().decode(bytes);
      seen.ends.push(end);
    },
    lost: (from, to) => seen.lost.push([from, to]),
    exit: (code) => seen.exits.push(code),
    size: () => undefined,
    refused: (why) => seen.refused.push(why),
    link: (state) => seen.links.push(state),
  });
  if (opened) wire.last().open();
  return { ...wire, seen, stream };
}

test("bytes arrive with the offset behind them, which is what is acknowledged", () => {
  const { last, seen, stream } = start();
  expect(last().path).toBe("/v1/terminal/t1?offset=0");
  last().say(chunk(0, "hello "));
  last().say(chunk(6, "world"));
  expect(seen.text).toBe("hello world");
  expect(seen.ends).toEqual([6, 11]);
  stream.ack(11);
  expect(last().sent).toEqual([{ t: "ack", n: 11 }]);
});

test("after a lost socket it continues behind the last byte, and writes none twice", () => {
  const { last, seen } = start();
  last().say(chunk(0, "abcdef"));
  last().lose();
  vi.advanceTimersByTime(1_000);
  expect(last().path).toBe("/v1/terminal/t1?offset=6");
  last().open();
  last().say(chunk(3, "defgh"));
  last().say(chunk(4, "efgh"));
  expect(seen.text).toBe("abcdefgh");
  expect(seen.links).toEqual(["open", "down", "open"]);
});

test("lost output is said once and skipped", () => {
  const { last, seen } = start();
  last().say({ t: "lost", from: 0, to: 100 });
  last().say(chunk(100, "rest"));
  expect(seen.lost).toEqual([[0, 100]]);
  expect(seen.text).toBe("rest");
});

test("the size is sent again after a reconnect", () => {
  const { last, stream } = start();
  stream.size(120, 40, false);
  last().lose();
  vi.advanceTimersByTime(1_000);
  last().open();
  expect(last().sent).toEqual([{ t: "size", cols: 120, rows: 40, looks: false }]);
});

test("after the exit it rests until the program is restarted, and then continues below", () => {
  const { last, sockets, seen, stream } = start();
  last().say(chunk(0, "bye"));
  last().say({ t: "exit", code: 3 });
  expect(seen.exits).toEqual([3]);
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
  stream.restart();
  expect(last().path).toBe("/v1/terminal/t1?offset=3");
  last().open();
  last().say(chunk(3, "$ "));
  expect(seen.text).toBe("bye$ ");
});

test("what the program does not take is said", () => {
  const { last, seen, stream } = start();
  stream.input("x");
  last().say({ t: "problem", text: "the program does not read its input" });
  expect(seen.refused).toEqual(["the program does not read its input"]);
});

test("what is typed while its socket is being opened is typed when it is open, behind the size", () => {
  const { last, stream } = start(false);
  stream.size(80, 24, true);
  stream.input("l");
  stream.inputBytes(new Uint8Array([115]));
  expect(last().sent).toEqual([]);
  last().open();
  stream.input("\r");
  expect(last().sent).toEqual([
    { t: "size", cols: 80, rows: 24, looks: true },
    { t: "in", d: "l" },
    new Uint8Array([115]),
    { t: "in", d: "\r" },
  ]);
});

test("a restart accepts input immediately, also when it is reported twice", () => {
  const { last, stream } = start();
  last().say({ t: "exit", code: 0 });
  stream.input("to nobody");
  stream.restart();
  stream.input("a");
  stream.restart();
  stream.input("b");
  last().open();
  expect(last().sent).toEqual([
    { t: "in", d: "a" },
    { t: "in", d: "b" },
  ]);
});

test("what is typed while the connection is lost is not typed later", () => {
  const { last, stream } = start(false);
  stream.input("rm ");
  last().lose();
  stream.input("-r ");
  vi.advanceTimersByTime(1_000);
  stream.input(".");
  last().open();
  expect(last().sent).toEqual([]);
});
