// Walks over all elements of the page, without the limit of a snapshot.
import { isElement, isFrame } from "./dom";
import { firstElementOf, rootElementOf, textContentOf } from "./native";
import { normalizeQuery } from "./text";
import { childrenOf, innerDocument } from "./tree";
import { isRendered, isVisible } from "./visibility";

/** eachRendered gives every element that is rendered, shadow roots and frames included. */
export function* eachRendered(n: Node): Generator<Element> {
  if (!isElement(n) || !isRendered(n)) return;
  yield n;
  const doc = isFrame(n) ? innerDocument(n) : null;
  if (doc) yield* eachRendered(doc.documentElement);
  for (const c of childrenOf(n)) yield* eachRendered(c);
}

/** findInAll gives the first innermost elements that contain a text. */
export function findInAll(want: string, limit: number): Element[] {
  const found: Element[] = [];
  for (const el of eachRendered(rootElementOf(document))) {
    if (firstElementOf(el) || !normalizeQuery(textContentOf(el)).includes(want) || !isVisible(el)) continue;
    found.push(el);
    if (found.length === limit) break;
  }
  return found;
}
