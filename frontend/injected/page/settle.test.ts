import { afterEach, expect, it, vi } from "vitest";
import { waitForFrame } from "./settle";

afterEach(() => {
  vi.unstubAllGlobals();
  Reflect.deleteProperty(Document.prototype, "getAnimations");
});

const running = { playState: "running", currentTime: 290, effect: { getComputedTiming: () => ({ endTime: 300 }) } };

it("waits for the frame that reports the end of an animation to the page", async () => {
  let animations: unknown[] = [running];
  let frames = 0;
  Document.prototype.getAnimations = () => animations as Animation[];
  vi.stubGlobal("requestAnimationFrame", (draw: FrameRequestCallback) => {
    setTimeout(() => {
      frames++;
      draw(0);
    }, 0);
    return 0;
  });

  expect((await waitForFrame()).moving).toBe(10);
  expect(frames).toBe(1);
  animations = [];
  expect((await waitForFrame()).moving).toBe(0);
  expect(frames).toBe(3); // the frame after the end, and the one that reports it
  await waitForFrame();
  expect(frames).toBe(4);
});
