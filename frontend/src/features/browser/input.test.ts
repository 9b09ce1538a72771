import { expect, test } from "vitest";
import {
  buttonName,
  Coalescer,
  isComposing,
  emptyInput,
  keyInput,
  letterOf,
  modifiers,
  toPage,
  wheelPixels,
} from "./input";
import type { PaneInput } from "@/bridge/types";

const key = (
  k: string,
  code: string,
  mods: Partial<Record<"ctrlKey" | "altKey" | "metaKey" | "shiftKey", boolean>> = {},
) => ({
  key: k,
  code,
  keyCode: 65,
  repeat: false,
  ctrlKey: false,
  altKey: false,
  metaKey: false,
  shiftKey: false,
  ...mods,
});

test("a point of the window becomes CSS pixels of the page", () => {
  const box = { left: 100, top: 50, width: 512, height: 384 };
  const page = { width: 1024, height: 768 };
  expect(toPage(100, 50, box, page)).toEqual({ x: 0, y: 0 });
  expect(toPage(356, 242, box, page)).toEqual({ x: 512, y: 384 });
  expect(toPage(5_000, -10, box, page)).toEqual({ x: 1_023, y: 0 });
});

test("modifiers, buttons and wheel units are the protocol's", () => {
  expect(modifiers({ altKey: true, ctrlKey: true, metaKey: true, shiftKey: true })).toBe(15);
  expect([0, 1, 2, 3].map(buttonName)).toEqual(["left", "middle", "right", "none"]);
  expect(wheelPixels(3, 1, 700)).toBe(48);
  expect(wheelPixels(1, 2, 700)).toBe(700);
});

test("the third level of a key types, Alt alone does not", () => {
  const graph = { ...key("@", "KeyQ"), getModifierState: (k: string) => k === "AltGraph" };
  expect(keyInput("keydown", graph, false)).toMatchObject({ text: "@", modifiers: 0 });
  expect(keyInput("keydown", { ...graph, ctrlKey: true, altKey: true }, false)).toMatchObject({
    text: "@",
    modifiers: 0,
  });
  expect(keyInput("keydown", key("@", "KeyL", { altKey: true }), true)).toMatchObject({ text: "@", modifiers: 0 });
  expect(keyInput("keydown", key("a", "KeyA", { altKey: true }), false)).toMatchObject({ text: "", modifiers: 1 });
});

test("a shortcut's letter is that of the user's layout", () => {
  expect(letterOf({ key: "v", code: "Period" })).toBe("v"); // Dvorak
  expect(letterOf({ key: "V", code: "KeyV" })).toBe("v");
  expect(letterOf({ key: "м", code: "KeyV" })).toBe("v"); // a Russian layout
  expect(letterOf({ key: ".", code: "KeyV" })).toBe("");
  expect(letterOf({ key: "F5", code: "F5" })).toBe("");
});

test("printable keys carry their text, shortcuts do not", () => {
  expect(keyInput("keydown", key("é", "KeyE"))).toMatchObject({ text: "é", code: "KeyE" });
  expect(keyInput("keydown", key("a", "KeyA", { ctrlKey: true }))).toMatchObject({ text: "", modifiers: 2 });
  expect(keyInput("keydown", key("Enter", "Enter")).text).toBe("\r");
  expect(keyInput("keydown", key("ArrowUp", "ArrowUp")).text).toBe("");
  expect(keyInput("keyup", key("a", "KeyA")).text).toBe("");
});

test("composing and dead keys are left to the input method", () => {
  expect(isComposing({ isComposing: true, key: "a", keyCode: 65 })).toBe(true);
  expect(isComposing({ isComposing: false, key: "Dead", keyCode: 222 })).toBe(true);
  expect(isComposing({ isComposing: false, key: "Unidentified", keyCode: 229 })).toBe(true);
  expect(isComposing({ isComposing: false, key: "a", keyCode: 65 })).toBe(false);
});

test("a frame sends one move and one wheel, and a click takes what is held back with it", () => {
  const sent: PaneInput[] = [];
  let frame: (() => void) | null = null;
  const c = new Coalescer(
    (i) => sent.push(i),
    (fn) => {
      frame = fn;
      return 1;
    },
    () => {
      frame = null;
    },
  );
  const run = () => frame?.();
  c.push({ ...emptyInput, x: 1 });
  c.push({ ...emptyInput, x: 2 });
  c.push({ ...emptyInput, kind: "wheel", dy: 10 });
  c.push({ ...emptyInput, kind: "wheel", dy: 5 });
  expect(sent).toEqual([]);
  run();
  expect(sent.map((i) => [i.kind, i.x, i.dy])).toEqual([
    ["move", 2, 0],
    ["wheel", 0, 15],
  ]);
  c.push({ ...emptyInput, x: 9 });
  c.push({ ...emptyInput, kind: "down", x: 9 });
  expect(sent.slice(2).map((i) => i.kind)).toEqual(["move", "down"]);
  expect(frame).toBeNull();
});
