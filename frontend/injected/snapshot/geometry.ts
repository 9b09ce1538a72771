// Where elements are in the window, and which point of one the mouse meets.
import type { Root } from "./dom";
import { isFrame, isLabel } from "./dom";
import { roleOf, USABLE } from "./roles";
import { innerDocument, isWithin, shadowOf } from "./tree";
import { closestOf, documentOf, hitTest, rectOf, viewOf } from "./native";

export interface Point {
  x: number;
  y: number;
}

/** Obstacle says why no point of an element can be clicked. */
export interface Obstacle {
  covered: Element | null; // what lies on it
  hasBoxes: boolean;
}

export type Spot = Point | Obstacle;

export const isPoint = (spot: Spot): spot is Point => "x" in spot;

/** offsetOf is where the document of an element begins in the window, in CSS pixels. */
export function offsetOf(el: Element): Point {
  const offset = { x: 0, y: 0 };
  let view: Window | null = viewOf(documentOf(el));
  while (view && view !== window) {
    const holder: Element | null = view.frameElement;
    if (!holder) break;
    const r = rectOf(holder);
    offset.x += r.x + holder.clientLeft;
    offset.y += r.y + holder.clientTop;
    view = view.parent;
  }
  return offset;
}

/** intersectsViewport reports whether any of an element is in the window. */
export const intersectsViewport = (el: Element, offset: Point) => isBoxInViewport(rectOf(el), offset);

/** isBoxInViewport reports whether any of a box is in the window. A caller that knows the window's size passes it. */
export function isBoxInViewport(r: DOMRect, offset: Point, width = innerWidth, height = innerHeight): boolean {
  const x = r.x + offset.x;
  const y = r.y + offset.y;
  return x < width && y < height && x + r.width > 0 && y + r.height > 0;
}

/** elementAt is the innermost element at a point of the window, in whichever shadow root or frame. */
export function elementAt(x: number, y: number): Element | null {
  let root: Root = document;
  for (let depth = 0; depth < 20; depth++) {
    const el: Element | null = hitTest(root, x, y);
    if (!el) return null;
    const shadow = shadowOf(el);
    if (shadow && shadow !== root) {
      const inside = hitTest(shadow, x, y);
      if (inside && inside !== el) {
        root = shadow;
        continue;
      }
    }
    const doc: Document | null = isFrame(el) ? innerDocument(el) : null;
    if (!doc) return el;
    const r = rectOf(el);
    x -= r.x + el.clientLeft;
    y -= r.y + el.clientTop;
    root = doc;
  }
  return null;
}

/** receives reports whether a click on hit, which is at a point of el, is a click on el. */
export function receives(el: Element, hit: Element): boolean {
  if (isWithin(hit, el)) return true;
  const label = closestOf(hit, "label");
  if (label && isLabel(label) && label.control === el) return true;
  // A child that ignores the pointer is clicked through the button around it.
  return isWithin(el, hit) && (USABLE.has(roleOf(hit)) || getComputedStyle(el).pointerEvents === "none");
}

const TRIED = [
  [0.5, 0.5],
  [0.15, 0.5],
  [0.85, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
] as const;

/** findSpot finds a point of the window at which a click meets the element. It scrolls nothing. */
export function findSpot(el: Element): Spot {
  const offset = offsetOf(el);
  let covered: Element | null = null;
  const rects = [...el.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
  for (const r of rects.slice(0, 3)) {
    const left = Math.max(0, r.left + offset.x);
    const top = Math.max(0, r.top + offset.y);
    const right = Math.min(innerWidth, r.right + offset.x);
    const bottom = Math.min(innerHeight, r.bottom + offset.y);
    if (right - left < 1 || bottom - top < 1) continue;
    for (const [fx, fy] of TRIED) {
      const x = left + (right - left) * fx;
      const y = top + (bottom - top) * fy;
      const hit = elementAt(x, y);
      if (hit && receives(el, hit)) return { x, y };
      covered ??= hit;
    }
  }
  return { covered, hasBoxes: rects.length > 0 };
}

const after = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms));

/** nextFrames resolves after two frames of the page, or 150 ms where it draws none. */
export const nextFrames = () =>
  Promise.race([
    new Promise<true>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(true)))),
    after(150),
  ]);

/** nextTask resolves when the next frame was prepared and what it started has run, or after 100 ms. */
export const nextTask = () =>
  Promise.race([
    new Promise<true>((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(true), 0))),
    after(100),
  ]);
