// Which element the mouse meets at a point, and which point of an element it meets.
import type { Root } from "./dom";
import { isFrame, isLabel } from "./dom";
import type { Point } from "./geometry";
import { offsetOf } from "./geometry";
import { roleOf, USABLE } from "./roles";
import { innerDocument, isWithin, shadowOf } from "./tree";
import { closestOf, hitTest, rectOf } from "./native";

/** Obstacle is the reason why no point of an element can be clicked. */
export interface Obstacle {
  covered: Element | null; // what lies on it
  hasBoxes: boolean;
}

export type Spot = Point | Obstacle;

export const isPoint = (spot: Spot): spot is Point => "x" in spot;

/** elementAt gives the innermost element at a point of the window, in any shadow root or frame. */
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

/** findSpot finds a point of the window at which a click hits the element. It scrolls nothing. */
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
