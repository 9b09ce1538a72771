import { expect, test } from "vitest";
import { watchAbsence } from "./absence";

const minute = 60_000;

test("who comes back after an hour is told since when", () => {
  localStorage.clear();
  let now = Date.parse("2026-11-30T08:00:00Z");
  const told: string[] = [];
  const watch = () =>
    watchAbsence(
      (since) => told.push(since.toISOString()),
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
  expect(told).toEqual([]);
  move(60);
  expect(told).toEqual(["2026-11-30T09:00:00.000Z"]);
  stop();
  move(120);
  expect(told).toHaveLength(1);
  watch()(); // the window opens again
  expect(told.at(-1)).toBe("2026-11-30T10:00:00.000Z");
});
