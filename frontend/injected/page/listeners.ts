// Elements on which the page listens for the mouse. Only the protocol reports them, so the program passes them in.
import { elementCountOf, elementsOf, parentElementOf, tagNameOf } from "./native";

const MAX_ALIKE = 60;

const listening = new WeakSet<Element>();
let count = 0;

/** addListening adds elements, and returns how many were not known. */
export function addListening(...elements: Node[]): number {
  const was = count;
  for (const n of elements) {
    const el = n as Element;
    if (listening.has(el)) continue;
    listening.add(el);
    count++;
  }
  return count - was;
}

/** isListening reports whether the page listens for the mouse on an element other than the whole page. */
export function isListening(el: Element): boolean {
  return count > 0 && listening.has(el) && tagNameOf(el) !== "BODY" && tagNameOf(el) !== "HTML";
}

/** hasAlikeChildren reports whether an element is like a list, which listens on behalf of each child. */
export function hasAlikeChildren(el: Element): boolean {
  const n = elementCountOf(el);
  if (n < 2 || n > MAX_ALIKE) return false;
  const children = [...elementsOf(el)];
  const tag = children[0] ? tagNameOf(children[0]) : "";
  return children.every((c) => tagNameOf(c) === tag);
}

/** isDelegated reports whether an element is one of several similar ones whose parent listens for all of them. */
export function isDelegated(el: Element): boolean {
  if (count === 0) return false;
  const parent = parentElementOf(el);
  return parent !== null && isListening(parent) && hasAlikeChildren(parent);
}
