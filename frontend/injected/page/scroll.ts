// Scrolls to an element or a part of one, also in a zoomed page, where an element counts in pixels of its own.
import { noteReveal } from "./changes";
import { isElement } from "./dom";
import { parentOf } from "./tree";
import { documentOf, rectOf, scrollToCenter } from "./native";

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

export const copyRect = ({ x, y, width, height }: Rect): Rect => ({ x, y, width, height });

const scaleOf = (holder: HTMLElement, width: number) => width / holder.offsetWidth || 1;

/** mapOutOfFrame converts a box in a frame to the document around it. */
export function mapOutOfFrame(box: Rect, holder: HTMLElement): Rect {
  const r = rectOf(holder);
  const scale = scaleOf(holder, r.width);
  const style = getComputedStyle(holder);
  return {
    x: r.x + (box.x + holder.clientLeft + parseFloat(style.paddingLeft)) * scale,
    y: r.y + (box.y + holder.clientTop + parseFloat(style.paddingTop)) * scale,
    width: box.width * scale,
    height: box.height * scale,
  };
}

/** mapToWindow converts a box in a document to the window of this script. */
export function mapToWindow(box: Rect, doc: Document): Rect {
  let view: Window | null = doc.defaultView;
  while (view && view !== window) {
    box = mapOutOfFrame(box, view.frameElement as HTMLElement);
    view = view.parent;
  }
  return box;
}

/** scrollDistance gives how far to scroll to bring a range between two edges, 0 if it is there. */
export function scrollDistance(low: number, high: number, from: number, to: number): number {
  return low >= from && high <= to ? 0 : (low + high - from - to) / 2;
}

function canScroll(el: Element, view: Window): boolean {
  if (el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1) return false;
  const style = view.getComputedStyle(el);
  return style.overflowX !== "visible" || style.overflowY !== "visible";
}

function scrollWithin(el: HTMLElement, box: Rect): void {
  const outer = rectOf(el);
  const scale = scaleOf(el, outer.width);
  const left = outer.x + el.clientLeft * scale;
  const top = outer.y + el.clientTop * scale;
  el.scrollBy({
    left: scrollDistance(box.x, box.x + box.width, left, left + el.clientWidth * scale) / scale,
    top: scrollDistance(box.y, box.y + box.height, top, top + el.clientHeight * scale) / scale,
    behavior: "instant",
  });
}

/** revealElement scrolls to an element. What comes into view by this is not an effect of the action. */
export function revealElement(el: Element): void {
  scrollToCenter(el);
  noteReveal(el);
}

/** scrollToBox scrolls everything around a box inside of start. readBox gives the box in the document of start. */
export function scrollToBox(start: Element, readBox: () => Rect): void {
  const doc = documentOf(start);
  const view = doc.defaultView;
  if (!view) return;
  for (let el: Node = start; isElement(el); el = parentOf(el)) {
    if (el !== doc.scrollingElement && canScroll(el, view)) scrollWithin(el as HTMLElement, readBox());
  }
  // In a zoomed page one step is not enough.
  for (let tries = 0; tries < 3; tries++) {
    const box = readBox();
    const left = scrollDistance(box.x, box.x + box.width, 0, view.innerWidth);
    const top = scrollDistance(box.y, box.y + box.height, 0, view.innerHeight);
    if (!left && !top) break;
    view.scrollBy({ left, top, behavior: "instant" });
  }
  if (view === window) return;
  const holder = view.frameElement as HTMLElement;
  scrollToBox(holder, () => mapOutOfFrame(readBox(), holder));
}
