import { expect, test } from "vitest";
import { watchAbsence } from "./absence";

const minute = 60_000;

test("the digest after an hour of absence gets the time when that began", () => {
  localStorage.clear();
  let now = Date.parse("2026-11-30T08:00:00Z");
  const received: string[] = [];
  const watch = () =>
    watchAbsence(
      (since) => received.push(since.toISOString()),
      localStorage,
      () => now,
    );
  const stop = watch();
  const move = (minutes: number) => {
    now += minutes * minute;
    window.dispatchEvent(new Event("pointermove"));
  };
  move(1);
  move(59);
  expect(received).toEqual([]);
  move(60);
  expect(received).toEqual(["2026-11-30T09:00:00.000Z"]);
  stop();
  move(120);
  expect(received).toHaveLength(1);
  watch()(); // the window opens again
  expect(received.at(-1)).toBe("2026-11-30T10:00:00.000Z");
});
