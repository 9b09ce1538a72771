import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Bridge } from "@/bridge/bridge";
import type { BrowserHandlers } from "@/bridge/browser";
import { Surface } from "./surface";

let handlers: BrowserHandlers;
let acks: number[];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("createImageBitmap", () => Promise.resolve({ width: 2, height: 2, close: () => undefined }));
  acks = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function surface(): Surface {
  const bridge = {
    browser: (_: string, on: BrowserHandlers) => {
      handlers = on;
      return {
        ack: (n: number) => void acks.push(n),
        size: () => undefined,
        keyboard: () => undefined,
        input: () => undefined,
        visible: () => undefined,
        close: () => undefined,
      };
    },
  };
  const canvas = document.createElement("canvas");
  vi.spyOn(canvas, "getContext").mockReturnValue(null);
  const none = () => undefined;
  return new Surface(bridge as unknown as Bridge, "b1", canvas, {
    info: none,
    overlay: none,
    problem: none,
    link: none,
    size: none,
  });
}

async function frame(n: number) {
  handlers.frame({ n, width: 2, height: 2, jpeg: new Uint8Array(1) });
  await vi.advanceTimersByTimeAsync(0);
}

test("with the keyboard every frame is acknowledged as soon as it is drawn", async () => {
  surface();
  for (const n of [1, 2, 3]) await frame(n);
  expect(acks).toEqual([1, 2, 3]);
});

test("without the keyboard a first frame is acknowledged at once and the next ones ten times a second", async () => {
  surface().focus(false);
  await frame(1);
  expect(acks).toEqual([1]);
  await frame(2);
  expect(acks).toEqual([1]);
  await vi.advanceTimersByTimeAsync(100);
  expect(acks).toEqual([1, 2]);
});

test("a pane that gets the keyboard does not wait any longer", async () => {
  const s = surface();
  s.focus(false);
  await frame(1);
  await frame(2);
  s.focus(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(acks).toEqual([1, 2]);
  await frame(3);
  expect(acks).toEqual([1, 2, 3]);
});

test("a picture that was being read when its page went is not drawn", async () => {
  let read: (picture: object) => void = () => undefined;
  vi.stubGlobal("createImageBitmap", () => new Promise((done) => (read = done)));
  const s = surface();
  const canvas = document.createElement("canvas");
  Reflect.set(s, "canvas", canvas);
  vi.spyOn(canvas, "getContext").mockReturnValue(null);
  await frame(1);
  s.forget();
  read({ width: 2, height: 2, close: () => undefined });
  await vi.advanceTimersByTimeAsync(0);
  expect(canvas.dataset.drawn).toBeUndefined();
  expect(acks).toEqual([1]);
});

test("a page that is gone leaves no picture, and the next one draws again", async () => {
  const s = surface();
  const canvas = document.createElement("canvas");
  Reflect.set(s, "canvas", canvas);
  vi.spyOn(canvas, "getContext").mockReturnValue(null);
  await frame(1);
  expect(canvas.dataset.drawn).toBe("true");
  s.forget();
  expect(canvas.dataset.drawn).toBeUndefined();
  await frame(2);
  expect(canvas.dataset.drawn).toBe("true");
});
