import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { difference } from "./editor";

const text = (s: string) => Text.of(s.split("\n"));

test.each([
  ["a line in the middle", "a\nb\nc\n", "a\nx\nc\n", "b\n", "x\n"],
  ["a new line at the end", "a\nb", "a\nb\nc", "b", "b\nc"],
  ["the last line is gone", "a\nb\nc", "a\nb", "b\nc", "b"],
  ["a line before the first", "a\nb", "x\na\nb", "", "x\n"],
  ["repeated lines", "a\na\na\n", "a\na\na\na\n", "", "a\n"],
  ["everything", "a", "b", "a", "b"],
  ["from nothing", "", "a\nb\n", "", "a\nb\n"],
])("%s: only the changed lines are replaced", (_, before, after, removed, added) => {
  const [old, next] = [text(before), text(after)];
  const change = difference(old, next);
  expect(change && old.sliceString(change.from, change.to)).toBe(removed);
  expect(change && change.insert.toString()).toBe(added);
  expect(change && old.replace(change.from, change.to, change.insert).toString()).toBe(after);
  expect(difference(next, next)).toBeNull();
});
