import { expect, test } from "vitest";
import { actionFor, actionForLeader, type Action } from "./actions";
import { bytes, count, money } from "./bytes";
import { keyLabel, keyShort, matches, opensEmojiChooser, type KeyPress } from "./keys";
import { argumentLines, clip, pretty, shortPath } from "./text";
import { formatAge, clock, formatApprox, span, formatElapsed } from "./time";

const press = (code: string, mods = ""): KeyPress => ({
  code,
  ctrlKey: mods.includes("c"),
  metaKey: mods.includes("m"),
  shiftKey: mods.includes("s"),
  altKey: mods.includes("a"),
});

test("keys match on the physical key, and Cmd counts as Ctrl", () => {
  expect(matches(press("KeyG", "cs"), "Ctrl+Shift+KeyG")).toBe(true);
  expect(matches(press("KeyG", "ms"), "Ctrl+Shift+KeyG")).toBe(true);
  expect(matches(press("KeyG", "cms"), "Ctrl+Shift+KeyG")).toBe(false);
  expect(matches(press("KeyG", "c"), "Ctrl+Shift+KeyG")).toBe(false);
  expect(matches(press("KeyG", "csa"), "Ctrl+Shift+KeyG")).toBe(false);
  expect(matches(press("ArrowLeft", "a"), "Alt+ArrowLeft")).toBe(true);
});

test("keys are named for people", () => {
  expect(keyLabel("Ctrl+Shift+KeyG")).toBe("Ctrl+Shift+G");
  expect(keyShort("Ctrl+Shift+KeyG")).toBe("Ctrl⇧G");
  expect(keyLabel("Alt+ArrowLeft")).toBe("Alt+←");
});

test("the keys of GTK's emoji chooser are known", () => {
  expect(opensEmojiChooser(press("Period", "c"))).toBe(true);
  expect(opensEmojiChooser(press("Semicolon", "cs"))).toBe(true);
  expect(opensEmojiChooser(press("Period"))).toBe(false);
});

test("an action is found by key and by leader, and only when it can be done", () => {
  let can = true;
  const a: Action = {
    id: "x",
    title: "X",
    group: "g",
    where: "",
    words: [],
    keys: ["Ctrl+Shift+KeyX"],
    leader: "x",
    enabled: () => can,
    run: () => undefined,
  };
  expect(actionFor([a], press("KeyX", "cs"))).toBe(a);
  expect(actionForLeader([a], "KeyX")).toBe(a);
  can = false;
  expect(actionFor([a], press("KeyX", "cs"))).toBeUndefined();
  expect(actionForLeader([a], "KeyX")).toBeUndefined();
});

test("times are short and say their unit", () => {
  expect([3, 2_130, 12_000, 108_000, 7_500_000].map(formatElapsed)).toEqual([
    "3 ms",
    "2.1 s",
    "12 s",
    "1 m 48 s",
    "2 h 05 m",
  ]);
  expect([0, 59_999, 72_000, 90_000_000].map(clock)).toEqual(["0 s", "59 s", "1 m 12 s", "1 d 1 h"]);
  expect([42_000, 845_000].map(formatApprox)).toEqual(["42 s", "14 m"]);
  expect([720_000, 7_200_000, 7_500_000, 86_400_000, 0].map(span)).toEqual(["12 m", "2 h", "2 h 05 m", "1 d", "0 s"]);
  expect(formatElapsed(720_000)).toBe("12 m");
  expect(formatElapsed(Number.NaN)).toBe("");
  const now = Date.parse("2026-01-02T00:00:00Z");
  expect(formatAge("2026-01-01T23:59:30Z", now)).toBe("now");
  expect(formatAge("2026-01-01T21:00:00Z", now)).toBe("3 h");
  expect(formatAge("", now)).toBe("");
});

test("amounts", () => {
  expect([0, 999, 1_400, 3_000_000].map(bytes)).toEqual(["0 B", "999 B", "1.4 kB", "3.0 MB"]);
  expect([940, 12_400, 1_200_000].map(count)).toEqual(["940", "12.4 k", "1.2 M"]);
  expect([0, 0.0042, 0.42, 12.5].map(money)).toEqual(["$0.00", "$0.0042", "$0.42", "$12.50"]);
});

test("arguments are lines without JSON, and what is not JSON stays as it is", () => {
  const lines = (json: string) => argumentLines(json).map(({ name, value }) => `${name}: ${value}`);
  expect(lines('{"path":"a.ts","timeout_seconds":3,"old":"x\\ny","whole":true}')).toEqual([
    "path: a.ts",
    "timeout seconds: 3",
    "old: x\ny",
    "whole: yes",
  ]);
  expect(lines('{"files":["a","b"],"none":[]}')).toEqual(["files: - a\n- b", "none: none"]);
  expect(lines('{"changes":[{"path":"a","new":"1\\n2"}]}')).toEqual(["changes: - path: a\n  new: 1\n    2"]);
  expect(lines('{"files":["a\\n- b"]}')).toEqual(["files: - a\n  - b"]);
  expect(lines('{"path": broken')).toEqual([': {"path": broken']);
  expect(lines('"bare"')).toEqual([': "bare"']);
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(pretty("{oops")).toBe("{oops");
});

test("paths and long words are shortened", () => {
  expect(shortPath("/home/ada/shop")).toBe("~/shop");
  expect(shortPath("/homework")).toBe("/homework");
  expect(clip("abcdef", 4)).toBe("abc…");
});
