// The tree of a page as it is rendered: shadow roots, slots and frames of the same process.
import type { Root } from "./dom";
import { isElement, isSlot, isTextNode } from "./dom";
import {
  activeElementOf,
  childNodesOf,
  documentOf,
  firstChildOf,
  isConnected,
  nextSiblingOf,
  nodeTypeOf,
  parentElementOf,
  queryIn,
  rootElementOf,
  rootOf,
  shadowRootOf,
  slotOf,
  tagNameOf,
  viewOf,
} from "./native";

const closedRoots = new WeakMap<Element, ShadowRoot>(); // the program finds them
const adopted = new Set<WeakRef<ShadowRoot>>(); // the same roots
const adoptListeners = new Set<(root: ShadowRoot) => void>();
const known = new WeakSet<Root>();
const met = new Set<WeakRef<Root>>();

function meetRoot<T extends Root>(root: T): T {
  if (!known.has(root)) {
    known.add(root);
    met.add(new WeakRef<Root>(root));
  }
  return root;
}

const isAttached = (root: Root) =>
  nodeTypeOf(root) === 9 ? viewOf(root as Document) !== null : isConnected((root as ShadowRoot).host);

/** listMetRoots lists the shadow roots and frames that were met and are still in the page, at most 200. */
export function listMetRoots(): Root[] {
  const out: Root[] = [];
  for (const reference of met) {
    const root = reference.deref();
    if (!root || !isAttached(root)) met.delete(reference);
    else out.push(root);
  }
  return out.slice(0, 200);
}

/** adoptRoot adds a closed shadow root. It reports false for one that is known. */
export function adoptRoot(root: ShadowRoot): boolean {
  if (closedRoots.has(root.host)) return false;
  closedRoots.set(root.host, root);
  adopted.add(new WeakRef(meetRoot(root)));
  for (const notify of adoptListeners) notify(root);
  return true;
}

/** onAdoptedRoot calls a function with each closed shadow root that is added. */
export function onAdoptedRoot(notify: (root: ShadowRoot) => void): void {
  adoptListeners.add(notify);
}

/** countClosedRoots counts the closed shadow roots that were added and are still in the page. */
export function countClosedRoots(): number {
  let n = 0;
  for (const reference of adopted) {
    const root = reference.deref();
    if (!root) adopted.delete(reference);
    else if (isConnected(root.host) && viewOf(documentOf(root.host))) n++;
  }
  return n;
}

export function shadowOf(el: Element): ShadowRoot | null {
  const shadow = shadowRootOf(el) ?? closedRoots.get(el) ?? null;
  return shadow && meetRoot(shadow);
}

/** innerDocument gives the document of a frame, null if this script may not read it or el is not a frame. */
export function innerDocument(el: Element): Document | null {
  try {
    const doc = (el as Partial<HTMLIFrameElement>).contentDocument;
    return doc && (rootElementOf(doc) as Element | null) ? meetRoot(doc) : null;
  } catch {
    return null;
  }
}

/** parentOf gives the parent in the rendered tree: the slot, the parent, the shadow host, or the document. */
export function parentOf(n: Node): Element | Document {
  const slot = isTextNode(n) ? n.assignedSlot : isElement(n) ? slotOf(n) : null;
  const parent = slot ?? parentElementOf(n);
  if (parent) return parent;
  const root = rootOf(n);
  return (nodeTypeOf(root) === 11 && (root as Partial<ShadowRoot>).host) || document;
}

/** childrenOf lists the children in the rendered tree. */
export function childrenOf(el: Element): Iterable<Node> {
  const shadow = shadowOf(el);
  if (shadow) return childNodesOf(shadow);
  if (isSlot(el)) {
    const assigned = el.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return childNodesOf(el);
}

/**
 * forEachChild visits what childrenOf lists. It makes no list, which would cost more than the visit. A caller that
 * knows the shadow root passes it.
 */
export function forEachChild<T>(
  el: Element,
  visit: (child: Node, context: T) => void,
  context: T,
  shadow: ShadowRoot | null = shadowOf(el),
): void {
  if (!shadow && tagNameOf(el) === "SLOT") for (const c of childrenOf(el)) visit(c, context);
  else for (let c = firstChildOf(shadow ?? el); c; c = nextSiblingOf(c)) visit(c, context);
}

/** isWithin reports whether a node is outer, or inside of it in the rendered tree. */
export function isWithin(node: Node, outer: Node): boolean {
  for (let n: Node = node; n !== document; n = parentOf(n)) if (n === outer) return true;
  return false;
}

/** focusedElement gives the element with the keyboard focus, in any shadow root or frame. */
export function focusedElement(): HTMLElement | null {
  let el = activeElementOf(document);
  while (el) {
    const shadow = shadowOf(el);
    const doc = shadow ? null : innerDocument(el);
    const inside = (shadow && activeElementOf(shadow)) ?? (doc && activeElementOf(doc));
    if (!inside) break;
    el = inside;
  }
  return el as HTMLElement | null;
}

/** queryAll lists the matches of a selector in a document, its shadow roots and frames, until there are over limit. */
export function queryAll(root: ParentNode & Node, selector: string, limit = 50, out: Element[] = []): Element[] {
  out.push(...queryIn(root, selector));
  for (const el of queryIn(root, "*")) {
    if (out.length > limit) break;
    const inside = shadowOf(el) ?? (tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME" ? innerDocument(el) : null);
    if (inside) queryAll(inside, selector, limit, out);
  }
  return out;
}

/** listDocuments lists this document and those of its frames, also of those in shadow roots. */
export function listDocuments(root: ParentNode & Node = document, out: Document[] = [document]): Document[] {
  for (const el of queryIn(root, "*")) {
    const holds = tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME" || tagNameOf(el) === "OBJECT";
    const doc = holds ? innerDocument(el) : null;
    if (doc) out.push(doc);
    const inside = doc ?? shadowOf(el);
    if (inside) listDocuments(inside, out);
  }
  return out;
}
