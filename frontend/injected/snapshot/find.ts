// Finds the one element that a target of the agent names.
import { collect } from "./collect";
import type { Item } from "./collect";
import { describeWithRef } from "./describe";
import { TargetError } from "./errors";
import { elementAt } from "./geometry";
import { elementOf, isRef } from "./refs";
import { normalizeQuery, quoteText } from "./text";
import { queryAll } from "./tree";
import { isVisible } from "./visibility";

function onlyOne(found: Element[], target: string): Element {
  const [first] = found;
  if (first && found.length === 1) return first;
  const some = found.slice(0, 5).map(describeWithRef).join(", ");
  throw new TargetError("many", `${found.length} elements match ${target}: ${some}; use one of these refs`);
}

function findByRef(ref: string): Element {
  const el = elementOf(ref);
  if (!el?.isConnected || !el.ownerDocument.defaultView) throw new TargetError("stale", ref);
  return el;
}

function findAtPoint(x: number, y: number): Element {
  const el = elementAt(x, y);
  if (el) return el;
  throw new TargetError("none", `nothing of the page lies at ${x},${y}: the viewport is ${innerWidth}x${innerHeight}`);
}

/** selectAll is queryAll with an error that the agent reads. */
export function selectAll(selector: string, quoted: string, most?: number): Element[] {
  try {
    return queryAll(document, selector, most);
  } catch {
    throw new TargetError("bad", `${quoted} is not a CSS selector`);
  }
}

function findBySelector(target: string): Element {
  const quoted = quoteText(target);
  const found = selectAll(target.slice("css=".length), quoted);
  const visible = found.filter(isVisible);
  if (visible.length > 0) return onlyOne(visible, quoted);
  if (found[0]) return found[0];
  throw new TargetError("none", `nothing matches ${quoted}; take a snapshot and use a ref`);
}

/** matchItems gives the elements that a text names best: usable ones before others, equal names before parts. */
export function matchItems(items: Item[], want: string): Element[] {
  const tests: ((item: Item) => boolean)[] = [
    (i) => i.usable && i.name.toLowerCase() === want,
    (i) => !i.usable && i.name.toLowerCase() === want,
    (i) => i.usable && i.name.toLowerCase().includes(want),
    (i) => !i.usable && i.name.toLowerCase().includes(want),
  ];
  for (const test of tests) {
    const found = new Set(items.filter(test).map((i) => i.el));
    if (found.size > 0) return [...found];
  }
  return [];
}

/** findElement finds the element of a target: a ref, at=X,Y, css=SELECTOR, or a text that is visible. */
export function findElement(target: string): HTMLElement {
  return locate(target) as HTMLElement; // an SVG element has what callers use, too
}

function locate(target: string): Element {
  if (isRef(target)) return findByRef(target);
  const point = /^at=(\d{1,5}),(\d{1,5})$/.exec(target);
  if (point) return findAtPoint(Number(point[1]), Number(point[2]));
  if (target.startsWith("css=")) return findBySelector(target);
  const want = normalizeQuery(target);
  if (!want) {
    throw new TargetError("bad", "the target is empty: name a ref (e12), css=selector, or the visible text");
  }
  const found = matchItems(collect().items, want);
  if (found.length > 0) return onlyOne(found, quoteText(target));
  throw new TargetError("none", `no visible element says ${quoteText(target)}; take a snapshot and use a ref`);
}
