import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeDial } from "./fake/socket";
import { openFile, type FileContent } from "./file";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const bytes = (text: string) => new Uint8Array(new TextEncoder().encode(text)).buffer;

function start() {
  const wire = fakeDial();
  const beginnings: string[] = [];
  const contents: FileContent[] = [];
  openFile(wire.dial, "f1", {
    beginning: (text) => beginnings.push(text),
    content: (c) => contents.push(c),
    link: () => undefined,
  });
  wire.last().open();
  return { ...wire, beginnings, contents };
}

test("the first whole lines of a long text come before the rest", () => {
  const { last, beginnings, contents } = start();
  const parts = ["one\ntwo\nthr", "ee\nf", "our\n"];
  last().say({ t: "file", version: "v1", size: parts.join("").length });
  expect(beginnings).toEqual([]);
  for (const part of parts) last().say(bytes(part));
  expect(beginnings).toEqual(["one\ntwo\n"]);
  expect(contents.map((c) => c.text)).toEqual(["one\ntwo\nthree\nfour\n"]);
});

test("a short text and one that is not there have no beginning", () => {
  const { last, beginnings, contents } = start();
  last().say({ t: "file", version: "v1", size: 4 });
  last().say(bytes("one\n"));
  last().say({ t: "file", version: "", size: 0, problem: "it is gone" });
  expect(beginnings).toEqual([]);
  expect(contents.map((c) => [c.text, c.problem])).toEqual([
    ["one\n", ""],
    ["", "it is gone"],
  ]);
});
