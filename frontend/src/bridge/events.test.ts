import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openEvents } from "./events";
import { fakeDial } from "./fake/socket";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("the goal that the user looks at is sent when it changes, and again to a new socket", () => {
  const { dial, last } = fakeDial();
  const link = openEvents(dial, { hello: vi.fn(), goal: vi.fn(), pane: vi.fn(), down: vi.fn() });
  link.looksAt("g1"); // before the socket is open
  last().open();
  link.looksAt("g1");
  link.looksAt("g2");
  expect(last().sent).toEqual([
    { t: "looks", goal: "g1" },
    { t: "looks", goal: "g2" },
  ]);
  last().lose();
  vi.advanceTimersByTime(400);
  last().open();
  expect(last().sent).toEqual([{ t: "looks", goal: "g2" }]);
  link.looksAt("");
  last().lose();
  vi.advanceTimersByTime(1_000);
  last().open();
  expect(last().sent).toEqual([]);
  link.close();
});
