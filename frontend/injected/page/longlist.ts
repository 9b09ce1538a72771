// Which children of a long list can be in view. Asking for the box of each child would take most of a snapshot's time.
import type { Point } from "./geometry";

/** Children in view begin with from and end before to; null is the end of the list. */
export interface Range {
  from: Element | null;
  to: Element | null;
}

interface Box {
  top: number;
  bottom: number;
}

/**
 * findVisibleRange reads the boxes of a few children of a list, which is enough if the children are stacked vertically.
 * It returns null if they are not, or if too many of them have no height.
 */
export function findVisibleRange(children: HTMLCollection, offset: Point, height: number): Range | null {
  const last = children.length - 1;
  let unknown = false;
  const boxOf = (i: number): Box => {
    for (let k = i; k <= last && k < i + 40; k++) {
      const r = children[k]?.getBoundingClientRect();
      if (r && r.height > 0) return { top: r.y + offset.y, bottom: r.y + r.height + offset.y };
    }
    unknown = true;
    return { top: 0, bottom: 0 };
  };
  let above: Box | undefined;
  for (let i = 0; i < 5; i++) {
    const box = boxOf(Math.floor((last * i) / 4));
    if (above && box.top < above.bottom) return null;
    above = box;
  }
  if (children[0]?.tagName !== children[last]?.tagName) return null;
  // Binary search for the first child whose box passes the test.
  const findFirst = (test: (box: Box) => boolean) => {
    let low = 0;
    let high = last + 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (test(boxOf(middle))) high = middle;
      else low = middle + 1;
    }
    return children[low] ?? null;
  };
  const range = { from: findFirst((b) => b.bottom > 0), to: findFirst((b) => b.top >= height) };
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- boxOf sets it
  return unknown ? null : range;
}
