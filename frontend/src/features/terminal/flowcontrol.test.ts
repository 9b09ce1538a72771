import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { OutputFlow, FrameTurns } from "./flowcontrol";

const kib = 1024;

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "requestAnimationFrame"] }));
afterEach(() => vi.useRealTimers());

/** A flow into an xterm that takes `ms` for each write. */
function start(turns = new FrameTurns(), { used = true, ms = 5 } = {}) {
  const seen = { writes: [] as number[], ends: [] as number[], text: "", used };
  let end = 0;
  const flow = new OutputFlow(turns, {
    write: (bytes, done) => {
      seen.writes.push(bytes.length);
      seen.text += new TextDecoder().decode(bytes);
      setTimeout(done, ms);
    },
    written: (n) => seen.ends.push(n),
    used: () => seen.used,
  });
  const add = (length: number, letter = "x") => {
    end += length;
    flow.add(new TextEncoder().encode(letter.repeat(length)), end);
  };
  return { flow, add, seen };
}

test("a little is written as it comes", () => {
  const { add, seen } = start();
  for (let i = 0; i < 5; i++) {
    add(100);
    vi.advanceTimersByTime(5);
  }
  expect(seen.writes).toEqual([100, 100, 100, 100, 100]);
  expect(seen.ends).toEqual([100, 200, 300, 400, 500]);
});

test("a flood is written in large pieces, in order and whole", () => {
  const { add, seen } = start();
  for (let i = 0; i < 64; i++) {
    add(32 * kib, String.fromCharCode(48 + i));
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(1_000);
  expect(seen.writes.length).toBeLessThan(7);
  expect(seen.writes.reduce((a, b) => a + b)).toBe(2048 * kib);
  expect(seen.ends.at(-1)).toBe(2048 * kib);
  const sent = Array.from({ length: 64 }, (_, i) => String.fromCharCode(48 + i).repeat(32 * kib)).join("");
  expect(seen.text === sent).toBe(true);
});

test("the end of a flood does not wait for more", () => {
  const { add, seen } = start();
  add(32 * kib);
  add(32 * kib);
  add(10);
  vi.advanceTimersByTime(60);
  expect(seen.ends.at(-1)).toBe(64 * kib + 10);
});

test("panes without the keyboard write one at a time with pauses in between", () => {
  const turns = new FrameTurns();
  const panes = Array.from({ length: 4 }, () => start(turns, { used: false, ms: 10 }));
  for (const p of panes) p.add(64 * kib);
  const written = () => panes.map((p) => p.seen.writes.length).join("");
  expect(written()).toBe("1000");
  vi.advanceTimersByTime(15);
  expect(written()).toBe("1000"); // the time of the write and its drawing, and the same time again
  vi.advanceTimersByTime(1_000);
  expect(written()).toBe("1111");
  expect(panes.every((p) => p.seen.ends.at(-1) === 64 * kib)).toBe(true);
});

test("the pane that gets the keyboard does not wait for its turn", () => {
  const turns = new FrameTurns();
  const other = start(turns, { used: false, ms: 1_000 });
  const pane = start(turns, { used: false });
  other.add(64 * kib);
  pane.add(64 * kib);
  expect(pane.seen.writes).toEqual([]);
  pane.seen.used = true;
  pane.flow.hurry();
  expect(pane.seen.writes).toEqual([64 * kib]);
  vi.advanceTimersByTime(5_000);
  expect(pane.seen.writes).toHaveLength(1);
});

test("a terminal that is closed while it waits holds nobody up", () => {
  const turns = new FrameTurns();
  const panes = [0, 1, 2].map(() => start(turns, { used: false, ms: 10 }));
  for (const p of panes) p.add(64 * kib);
  panes[0]?.flow.close();
  panes[1]?.flow.close();
  vi.advanceTimersByTime(1_000);
  expect(panes.map((p) => p.seen.writes.length)).toEqual([1, 0, 1]);
});
