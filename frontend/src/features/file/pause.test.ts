import { expect, test, vi } from "vitest";
import { Pause } from "./pause";

test("a pause is reported once, after the last key or when the page is left", () => {
  vi.useFakeTimers();
  const paused = vi.fn();
  const pause = new Pause(paused);
  for (let n = 0; n < 5; n++) {
    pause.begin();
    vi.advanceTimersByTime(500);
  }
  expect(paused).toHaveBeenCalledTimes(0);
  vi.advanceTimersByTime(500);
  expect(paused).toHaveBeenCalledTimes(1);
  window.dispatchEvent(new Event("pagehide"));
  expect(paused).toHaveBeenCalledTimes(1);
  pause.begin();
  document.dispatchEvent(new Event("visibilitychange"));
  expect(paused).toHaveBeenCalledTimes(2);
  pause.begin();
  pause.close();
  vi.runAllTimers();
  window.dispatchEvent(new Event("pagehide"));
  expect(paused).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});
