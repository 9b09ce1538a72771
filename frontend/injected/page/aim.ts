// Finds the point of an element for the mouse.
import { nextTurn, removeGuard, setGuard } from "./clickguard";
import { describe, describeWithRef } from "./describe";
import { TargetError } from "./errors";
import { findElement } from "./find";
import type { Point } from "./geometry";
import { offsetOf } from "./geometry";
import type { Spot } from "./hittest";
import { elementAt, findSpot, isPoint, receives } from "./hittest";
import { elementOf, foreignFrame, refOf } from "./refs";
import { revealElement } from "./scroll";
import { afterTwoFrames } from "./settle";
import { focusedElement, isWithin } from "./tree";
import {
  animationsOf,
  attributeOf,
  documentOf,
  isConnected,
  matchesSelector,
  rectOf,
  scrollToCenter,
  viewOf,
  parentElementOf,
  tagNameOf,
} from "./native";

/** unreachableError returns the error for an element that has no point to click. */
export function unreachableError(spot: Spot, description: string): TargetError {
  if (!isPoint(spot)) {
    if (!spot.hasBoxes) return new TargetError("hidden", `${description} is not visible`);
    if (spot.covered) return coveredError(description, spot.covered);
  }
  return new TargetError("hidden", `${description} is outside the page and cannot be scrolled into view`);
}

const coveredError = (description: string, by: Element) =>
  new TargetError("covered", `${description} is covered by ${describeWithRef(by)}: deal with that first`);

/** findSpotInView is findSpot after scrolling, if that is necessary. */
export function findSpotInView(el: Element): Spot {
  const spot = findSpot(el);
  if (isPoint(spot)) return spot;
  revealElement(el);
  return findSpot(el);
}

/** isAnimated reports whether an animation runs on the element, on one around it, or on one inside it. */
function isAnimated(el: Element): boolean {
  return animationsOf(document).some((a) => {
    const target = (a.effect as KeyframeEffect | null)?.target;
    return a.playState === "running" && target && (target.contains(el) || el.contains(target));
  });
}

const isNear = (a: Point, b: Point) => Math.abs(a.x - b.x) < 1.5 && Math.abs(a.y - b.y) < 1.5;

/**
 * aimAt finds the point of an element for the mouse. It waits until an animated element stops; with unsure it waits for
 * any element. With clicks it guards the click that follows.
 */
export async function aimAt(target: string, unsure: boolean, clicks: boolean) {
  const turn = nextTurn();
  removeGuard();
  const el = findElement(target);
  const words = describe(el);
  if (matchesSelector(el, ":disabled") || attributeOf(el, "aria-disabled") === "true") {
    throw new TargetError("disabled", `${words} is disabled`);
  }
  const finish = ({ x, y }: Point) => {
    const point = { ref: refOf(el), words, x, y };
    if (clicks) setGuard(el, turn);
    return point;
  };
  const still = !isAnimated(el);
  let spot = findSpotInView(el);
  if (isPoint(spot) && still && !unsure) return finish(spot);
  for (let tries = 0; tries < 6; tries++) {
    if (!isPoint(spot)) revealElement(el);
    await afterTwoFrames();
    if (!isConnected(el)) throw new TargetError("stale", target);
    const now = findSpot(el);
    if (isPoint(now) && isPoint(spot) && isNear(now, spot)) return finish(now);
    spot = now;
  }
  if (isPoint(spot)) return finish(spot); // it keeps moving
  throw unreachableError(spot, words);
}

/** locateElement gives the position of an element, whether or not it can be clicked, and scrolls to it. */
export async function locateElement(target: string) {
  const el = findElement(target);
  let spot = findSpot(el);
  if (!isPoint(spot)) {
    scrollToCenter(el);
    await afterTwoFrames();
    spot = findSpot(el);
  }
  if (isPoint(spot)) return { ref: refOf(el), words: describe(el), x: spot.x, y: spot.y };
  const offset = offsetOf(el);
  const r = rectOf(el);
  return { ref: refOf(el), words: describe(el), x: r.x + r.width / 2 + offset.x, y: r.y + r.height / 2 + offset.y };
}

const DROP_PART = 0.8; // of a list's entry, in the direction of the drag

/**
 * locateDrop gives the point at which to drop an element on another one: its middle, or a point beyond the middle if
 * both are entries of one list. A sortable list moves an entry only once the pointer passes the middle of another.
 */
export async function locateDrop(target: string, from: string) {
  const there = await locateElement(target);
  const dragged = from ? elementOf(from) : undefined;
  const el = findElement(there.ref);
  if (!dragged || dragged === el || !isConnected(dragged) || parentElementOf(dragged) !== parentElementOf(el))
    return there;
  if (tagNameOf(dragged) !== tagNameOf(el)) return there;
  const [a, b] = [rectOf(dragged), rectOf(el)];
  const [dx, dy] = [b.x + b.width / 2 - a.x - a.width / 2, b.y + b.height / 2 - a.y - a.height / 2];
  const sideways = Math.abs(dx) > Math.abs(dy);
  const beyond = (DROP_PART - 0.5) * Math.sign(sideways ? dx : dy);
  const spot = { x: there.x + (sideways ? beyond * b.width : 0), y: there.y + (sideways ? 0 : beyond * b.height) };
  return isOutside(spot) ? there : { ...there, ...spot };
}

/** boxOfElement scrolls to an element and gives its box in the document of the window. */
export async function boxOfElement(target: string) {
  await locateElement(target);
  const el = findElement(target);
  const offset = offsetOf(el);
  const r = rectOf(el);
  return { x: r.x + offset.x + scrollX, y: r.y + offset.y + scrollY, width: r.width, height: r.height };
}

const isOutside = (p: Point) => p.x < 0 || p.y < 0 || p.x >= innerWidth || p.y >= innerHeight;

function pointInFrame(el: Element, x: number, y: number): Point {
  const offset = offsetOf(el);
  const r = rectOf(el);
  const style = getComputedStyle(el);
  return {
    x: r.x + el.clientLeft + parseFloat(style.paddingLeft) + offset.x + x,
    y: r.y + el.clientTop + parseFloat(style.paddingTop) + offset.y + y,
  };
}

/**
 * mapFramePoint maps a point of a frame of another site to this document, and scrolls to it. It fails if something
 * covers the point.
 */
export function mapFramePoint(number: number, x: number, y: number): Point {
  const el = foreignFrame(number);
  if (!(el && isConnected(el))) throw new TargetError("stale", "the frame");
  let p = pointInFrame(el, x, y);
  if (isOutside(p) || elementAt(p.x, p.y) !== el) {
    revealElement(el);
    p = pointInFrame(el, x, y);
    if (isOutside(p)) {
      const by = { left: p.x - innerWidth / 2, top: p.y - innerHeight / 2 };
      viewOf(documentOf(el))?.scrollBy({ ...by, behavior: "instant" });
      p = pointInFrame(el, x, y);
    }
  }
  if (isOutside(p)) throw new TargetError("hidden", "that position in the frame cannot be scrolled into view");
  const hit = elementAt(p.x, p.y);
  if (hit && !receives(el, hit)) throw coveredError("it", hit);
  return p;
}

/** focusElement focuses an element. */
export function focusElement(target: string) {
  const el = findElement(target);
  scrollToCenter(el);
  el.focus();
  if (!hasFocusWithin(el)) throw new TargetError("bad", `${describe(el)} cannot be focused: click it`);
  return { words: describe(el) };
}

/** hasFocusWithin reports whether an element, or one inside it, has the focus. */
export function hasFocusWithin(el: Element): boolean {
  const focused = focusedElement();
  return focused !== null && isWithin(focused, el);
}
