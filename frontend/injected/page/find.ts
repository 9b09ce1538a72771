// Finds the one element that a target of the agent names.
import { collect } from "./collect";
import type { Item } from "./collect";
import { describeWithRef } from "./describe";
import { TargetError } from "./errors";
import { isEditable } from "./dom";
import { elementAt } from "./hittest";
import { elementOf, isRef } from "./refs";
import { normalizeQuery, quoteText } from "./text";
import { isWithin, queryAll } from "./tree";
import { isVisible } from "./visibility";
import { findInAll } from "./walk";
import { documentOf, elementsOf, firstElementOf, isConnected, nextElementOf, textContentOf, viewOf } from "./native";

function onlyOne(found: Element[], target: string): Element {
  const [first] = found;
  if (first && found.length === 1) return first;
  const some = found.slice(0, 5).map(describeWithRef).join(", ");
  throw new TargetError("many", `${found.length} elements match ${target}: ${some}; use one of these refs`);
}

function findByRef(ref: string): Element {
  const el = elementOf(ref);
  if (!el || !isConnected(el) || !viewOf(documentOf(el))) throw new TargetError("stale", ref);
  return el;
}

function findAtPoint(x: number, y: number): Element {
  const el = elementAt(x, y);
  if (el) return el;
  throw new TargetError("none", `no element of the page is at ${x},${y}: the viewport is ${innerWidth}x${innerHeight}`);
}

/** selectAll is queryAll with an error that the agent reads. */
export function selectAll(selector: string, quoted: string, limit?: number): Element[] {
  try {
    return queryAll(document, selector, limit);
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

/** findSegments gives the innermost elements of a line whose text fits. */
function findSegments(item: Item, fits: (text: string) => boolean): Element[] {
  return item.segments.filter((s) => fits(normalizeQuery(s.text))).map((s) => s.el);
}

/** withoutOuter leaves out elements that contain another one of the list. */
function withoutOuter(found: Element[]): Element[] {
  if (found.length < 2 || found.length > 200) return found;
  return found.filter((el) => !found.some((other) => other !== el && isWithin(other, el)));
}

/**
 * matchItems gives the elements that match a text best. Equal names precede names that contain the text, and usable
 * elements precede others; of nested elements it gives the innermost.
 */
export function matchItems(items: Item[], want: string): Element[] {
  const equals = (text: string) => text === want;
  const contains = (text: string) => text.includes(want);
  for (const fits of [equals, contains]) {
    for (const usable of [true, false]) {
      const found = new Set<Element>();
      for (const item of items) {
        if (item.usable !== usable) continue;
        const inner = findSegments(item, fits);
        for (const el of inner) found.add(el);
        if (inner.length === 0 && fits(item.name.toLowerCase())) found.add(item.el);
      }
      if (found.size > 0) return withoutOuter([...found]);
    }
  }
  return [];
}

/** findEdited gives the innermost elements with a text inside editable elements, which have no lines in a snapshot. */
export function findEdited(items: Item[], want: string): Element[] {
  const found: Element[] = [];
  const search = (el: Element, depth: number): boolean => {
    if (depth > 100 || !normalizeQuery(textContentOf(el)).includes(want)) return false;
    let inside = false;
    for (let c = firstElementOf(el); c; c = nextElementOf(c)) inside = search(c, depth + 1) || inside;
    if (!inside) found.push(el);
    return true;
  };
  for (const { el, role } of items) {
    if (role === "textbox" && isEditable(el)) for (const c of elementsOf(el)) search(c, 0);
  }
  return found;
}

/** preferEqual gives the elements whose whole text is the wanted one, or all. */
function preferEqual(found: Element[], want: string): Element[] {
  const equal = found.filter((el) => normalizeQuery(textContentOf(el)) === want);
  return equal.length > 0 ? equal : found;
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
  const { items, cut } = collect();
  let found = matchItems(items, want);
  if (found.length === 0) found = findEdited(items, want);
  if (found.length === 0 && cut) found = preferEqual(findInAll(want, 50), want);
  if (found.length > 0) return onlyOne(found, quoteText(target));
  throw new TargetError("none", `no visible element says ${quoteText(target)}; take a snapshot and use a ref`);
}
