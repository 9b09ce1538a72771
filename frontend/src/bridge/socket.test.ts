import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { fakeDial } from "./fake/socket";
import { backOff, ReconnectingSocket } from "./socket";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("waits longer after each failure, up to a bound", () => {
  const flat = () => 0;
  expect([0, 1, 2, 3].map((n) => backOff(n, flat))).toEqual([250, 500, 1_000, 2_000]);
  expect(backOff(40, flat)).toBe(8_000);
  expect(backOff(0, () => 0.999)).toBeLessThanOrEqual(313);
});

test("comes back after a loss and asks for its path again", () => {
  const { dial, sockets, last } = fakeDial();
  let offset = 0;
  const downs: number[] = [];
  const link = new ReconnectingSocket(dial, () => `/at/${offset}`, { down: (code) => downs.push(code) });
  last().open();
  offset = 7;
  last().lose(1013);
  expect(sockets).toHaveLength(1);
  vi.advanceTimersByTime(400);
  expect(sockets.map((s) => s.path)).toEqual(["/at/0", "/at/7"]);
  expect(downs).toEqual([1013]);
  link.close();
});

test("a server that accepts and closes at once is dialled ever more slowly", () => {
  const { dial, sockets, last } = fakeDial();
  const waits: number[] = [];
  const link = new ReconnectingSocket(dial, () => "/", { down: (_code, ms) => waits.push(ms) });
  for (let i = 0; i < 4; i++) {
    last().open();
    last().lose();
    vi.advanceTimersByTime(10_000);
  }
  expect(sockets).toHaveLength(5);
  expect(waits[3]).toBeGreaterThan(waits[0] ?? 0);
  link.close();
});

test("after close nothing is dialled and nothing is called", () => {
  const { dial, sockets, last } = fakeDial();
  const text = vi.fn();
  const link = new ReconnectingSocket(dial, () => "/", { text });
  last().open();
  const socket = last();
  link.close();
  expect(socket.closedWith).toBe(1000);
  expect(socket.onmessage).toBeNull();
  vi.advanceTimersByTime(60_000);
  expect(sockets).toHaveLength(1);
  expect(text).not.toHaveBeenCalled();
});
