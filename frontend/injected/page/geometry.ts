// Where elements are in the window.
import { documentOf, rectOf, viewOf } from "./native";

export interface Point {
  x: number;
  y: number;
}

/** offsetOf gives the position of an element's document in the window, in CSS pixels. */
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

/** intersectsViewport reports whether a part of an element is in the window. */
export const intersectsViewport = (el: Element, offset: Point) => isBoxInViewport(rectOf(el), offset);

/** isBoxInViewport reports whether a part of a box is in the window, whose size a caller passes if it knows it. */
export function isBoxInViewport(r: DOMRect, offset: Point, width = innerWidth, height = innerHeight): boolean {
  const x = r.x + offset.x;
  const y = r.y + offset.y;
  return x < width && y < height && x + r.width > 0 && y + r.height > 0;
}
