// Reads nodes through the prototypes of this script's world. A form with a field named "tagName", and a document with a
// picture named "body", give that element instead of their own property; the prototypes cannot be changed by a page.
import type { Root } from "./dom";

/** getterOf finds the getter of a property. In Chromium the prototype has it; in unit tests a derived one may. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the type of the property
function getterOf<T>(prototype: object, name: string): (this: unknown) => T {
  const derived = [HTMLElement.prototype, Element.prototype].filter((p) =>
    Object.prototype.isPrototypeOf.call(prototype, p),
  );
  for (const p of [...derived, prototype]) {
    // oxlint-disable-next-line typescript/unbound-method -- callers give the node
    const get = Object.getOwnPropertyDescriptor(p, name)?.get as ((this: unknown) => T) | undefined;
    if (get) return get;
  }
  return function (this: unknown) {
    return (this as Record<string, T>)[name] as T; // the environment of unit tests lacks it
  };
}

const getNodeType = getterOf<number>(Node.prototype, "nodeType");
const getParentElement = getterOf<Element | null>(Node.prototype, "parentElement");
const getFirstChild = getterOf<Node | null>(Node.prototype, "firstChild");
const getNextSibling = getterOf<Node | null>(Node.prototype, "nextSibling");
const getChildNodes = getterOf<NodeListOf<ChildNode>>(Node.prototype, "childNodes");
const getTextContent = getterOf<string | null>(Node.prototype, "textContent");
const getIsConnected = getterOf<boolean>(Node.prototype, "isConnected");
const getOwnerDocument = getterOf<Document>(Node.prototype, "ownerDocument");
const getTagName = getterOf<string>(Element.prototype, "tagName");
const getClassList = getterOf<DOMTokenList>(Element.prototype, "classList");
const getId = getterOf<string>(Element.prototype, "id");
const getShadowRoot = getterOf<ShadowRoot | null>(Element.prototype, "shadowRoot");
const getAssignedSlot = getterOf<HTMLSlotElement | null>(Element.prototype, "assignedSlot");
const getFirstElement = getterOf<Element | null>(Element.prototype, "firstElementChild");
const getNextElement = getterOf<Element | null>(Element.prototype, "nextElementSibling");
const getElementCount = getterOf<number>(Element.prototype, "childElementCount");
const getChildren = getterOf<HTMLCollection>(Element.prototype, "children");
const getBody = getterOf<HTMLElement | null>(Document.prototype, "body");
const getRootElement = getterOf<HTMLElement>(Document.prototype, "documentElement");
const getDefaultView = getterOf<(Window & typeof globalThis) | null>(Document.prototype, "defaultView");
const getTitle = getterOf<string>(Document.prototype, "title");
const getActive = getterOf<Element | null>(Document.prototype, "activeElement");
const getShadowActive = getterOf<Element | null>(ShadowRoot.prototype, "activeElement");

export const nodeTypeOf = (n: Node) => getNodeType.call(n);
export const parentElementOf = (n: Node) => getParentElement.call(n);
export const firstChildOf = (n: Node) => getFirstChild.call(n);
export const nextSiblingOf = (n: Node) => getNextSibling.call(n);
export const childNodesOf = (n: Node) => getChildNodes.call(n);
export const textContentOf = (n: Node) => getTextContent.call(n) ?? "";
export const isConnected = (n: Node) => getIsConnected.call(n);
export const documentOf = (el: Element) => getOwnerDocument.call(el);
export const rootOf = (n: Node) => Node.prototype.getRootNode.call(n);
export const containsNode = (n: Node, other: Node) => Node.prototype.contains.call(n, other);

export const tagNameOf = (el: Element) => getTagName.call(el);
export const classListOf = (el: Element) => getClassList.call(el);
export const idOf = (el: Element) => getId.call(el);
export const shadowRootOf = (el: Element) => getShadowRoot.call(el);
export const slotOf = (el: Element) => getAssignedSlot.call(el);
export const firstElementOf = (el: Element) => getFirstElement.call(el);
export const nextElementOf = (el: Element) => getNextElement.call(el);
export const elementCountOf = (el: Element) => getElementCount.call(el);
export const elementsOf = (el: Element) => getChildren.call(el);
export const attributeOf = (el: Element, name: string) => Element.prototype.getAttribute.call(el, name);
export const hasAttribute = (el: Element, name: string) => Element.prototype.hasAttribute.call(el, name);
export const hasAttributes = (el: Element) => Element.prototype.hasAttributes.call(el);
export const attributeNamesOf = (el: Element) => Element.prototype.getAttributeNames.call(el);
export const matchesSelector = (el: Element, selector: string) => Element.prototype.matches.call(el, selector);
export const rectOf = (el: Element) => Element.prototype.getBoundingClientRect.call(el);
export const rectsOf = (el: Element) => Element.prototype.getClientRects.call(el);
export const checkVisibility = (el: Element, options?: CheckVisibilityOptions) =>
  Element.prototype.checkVisibility.call(el, options);
export const scrollToCenter = (el: Element) =>
  Element.prototype.scrollIntoView.call(el, { block: "center", inline: "center", behavior: "instant" });

export const bodyElementOf = (doc: Document) => getBody.call(doc);
export const rootElementOf = (doc: Document) => getRootElement.call(doc);
export const viewOf = (doc: Document) => getDefaultView.call(doc);
export const titleOf = (doc: Document) => getTitle.call(doc);

/** activeElementOf gives the element with the keyboard focus in a document or a shadow root. */
export const activeElementOf = (root: Root) =>
  nodeTypeOf(root) === 9 ? getActive.call(root) : getShadowActive.call(root);

/** hitTest is elementFromPoint of a document or a shadow root. */
export const hitTest = (root: Root, x: number, y: number): Element | null =>
  nodeTypeOf(root) === 9
    ? Document.prototype.elementFromPoint.call(root, x, y)
    : ShadowRoot.prototype.elementFromPoint.call(root, x, y);

export const animationsOf = (doc: Document) => Document.prototype.getAnimations.call(doc);

/* oxlint-disable typescript/no-deprecated -- only overloads for obsolete tags are deprecated */
/** queryIn is querySelectorAll of a document, a shadow root or an element. */
export function queryIn(root: ParentNode & Node, selector: string): NodeListOf<Element> {
  const type = nodeTypeOf(root);
  if (type === 9) return Document.prototype.querySelectorAll.call(root, selector);
  if (type === 1) return Element.prototype.querySelectorAll.call(root, selector);
  return DocumentFragment.prototype.querySelectorAll.call(root, selector);
}
/* oxlint-enable typescript/no-deprecated */

export function closestOf<K extends keyof HTMLElementTagNameMap>(el: Element, tag: K): HTMLElementTagNameMap[K] | null;
export function closestOf(el: Element, selector: string): Element | null;
export function closestOf(el: Element, selector: string): Element | null {
  return Element.prototype.closest.call(el, selector);
}
