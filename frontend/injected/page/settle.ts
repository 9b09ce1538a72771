// Waits until the page has drawn what an action changed, or changes at all.
import { currentDiff, EVERYTHING, mutationCount, notePendingMutations } from "./changes";
import { animationsOf } from "./native";
import { listMetRoots } from "./tree";

const after = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms));

/** afterTwoFrames resolves after two frames of the page, or 150 ms where it draws none. */
export const afterTwoFrames = () =>
  Promise.race([
    new Promise<true>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))),
    after(150),
  ]);

/** afterNextFrame resolves when the next frame is drawn and its callbacks have run, or after limit milliseconds. */
export const afterNextFrame = (limit = 100) =>
  Promise.race([
    new Promise<true>((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(true), 0))),
    after(limit),
  ]);

/** remainingOf gives the remaining time of an animation in ms, 0 for one without an end. */
function remainingOf(a: Animation): number {
  const end = Number(a.effect?.getComputedTiming().endTime);
  if (a.playState !== "running" || !Number.isFinite(end)) return 0;
  return Math.max(1, end - Number(a.currentTime ?? 0));
}

/** remaining is the longest remaining time of the page's animations in ms. */
const remaining = () => Math.max(0, ...animationsOf(document).map(remainingOf));

/** moved says whether an animation ran when waitForFrame last looked. */
let moved = false;

/**
 * waitForFrame waits for the next frame of the page. It gives the number of mutations before it, and how long
 * animations that have an end will run. If nothing changed until then and nothing moves, it also gives what changed
 * since the action began, which the program asks for next.
 */
export async function waitForFrame() {
  const was = mutationCount();
  await afterNextFrame();
  // An animation can be over before its end is reported to the page, which happens in the next frame.
  if (moved && remaining() === 0) await afterNextFrame(500);
  notePendingMutations();
  const altered = mutationCount() - was;
  const moving = remaining();
  moved = moving > 0;
  return { altered, moving, diff: altered || moving ? null : currentDiff() };
}

/** waitForMutation waits until the page changes, at most timeout milliseconds. It reports whether it did. */
export function waitForMutation(timeout: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (changed: boolean) => {
      once.disconnect();
      clearTimeout(limit);
      resolve(changed);
    };
    const once = new MutationObserver(() => end(true));
    const limit = setTimeout(() => end(false), timeout);
    once.observe(document, EVERYTHING);
    for (const root of listMetRoots()) once.observe(root, EVERYTHING);
  });
}
