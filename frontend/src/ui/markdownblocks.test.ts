import { expect, test } from "vitest";
import { MarkdownBlocks } from "./markdownblocks";

const answer = `# Head

A paragraph with **bold**
that has two lines.

- one

- two
  more

\`\`\`go
x := 1

y := 2
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

> quoted

1. first
2. second

Last words.
`;

const words = (text: string) => text.replace(/\s/g, "");

/** The kinds of the blocks of a text, with the text of each. */
const kinds = (blocks: MarkdownBlocks, text: string) =>
  blocks.of(text).map((b) => `${b.token?.type ?? "plain"}: ${b.raw.trim()}`);

test("a text that comes character by character has the blocks of the whole text", () => {
  const growing = new MarkdownBlocks();
  for (let end = 0; end <= answer.length; end++) {
    const blocks = growing.of(answer.slice(0, end));
    expect(words(blocks.map((b) => b.raw).join(""))).toBe(words(answer.slice(0, end)));
  }
  expect(kinds(growing, answer)).toEqual(kinds(new MarkdownBlocks(), answer));
});

test("blocks that cannot change any more stay the same objects", () => {
  const growing = new MarkdownBlocks();
  const before = growing.of(answer.slice(0, 150));
  const after = growing.of(answer);
  expect(before.length).toBeGreaterThan(3);
  expect(after.slice(0, before.length - 2)).toEqual(before.slice(0, -2));
  for (const [i, block] of before.slice(0, -2).entries()) expect(after[i]).toBe(block);
});

test("another text begins anew, also one with the line ends of Windows", () => {
  const blocks = new MarkdownBlocks();
  blocks.of(answer);
  expect(kinds(blocks, "a\r\n\r\nb\r\n")).toEqual(["paragraph: a", "paragraph: b"]);
  expect(kinds(blocks, "")).toEqual([]);
});

test("a long answer is parsed once, not once for each of its words", () => {
  const paragraph = `${"Some words of an answer. ".repeat(20)}\n\n`;
  const text = paragraph.repeat(400); // 200 kB
  const growing = new MarkdownBlocks();
  let parsed = 0;
  let known = new Set<unknown>();
  for (let end = 0; end < text.length + 1_000; end += 1_000) {
    const blocks = growing.of(text.slice(0, end));
    parsed += blocks.filter((b) => !known.has(b)).length;
    known = new Set(blocks);
  }
  expect(known.size).toBe(400);
  expect(parsed).toBeLessThan(200 * 6);
});
