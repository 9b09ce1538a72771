// The text and the accessible name of elements.
import { asControl, isAriaHidden, isElement, isImage, isInput, isTextNode } from "./dom";
import { INLINE_TAGS, NAMED_BY_OWN_TEXT, NAMED_BY_TEXT, SKIPPED_TAGS, words } from "./roles";
import { sanitizeText } from "./text";
import { forEachChild } from "./tree";
import { isLeaf, isRendered } from "./visibility";
import { attributeOf, queryIn, rootOf, tagNameOf, textContentOf } from "./native";

const MAX_NAME = 160; // characters
const MAX_NAME_NODES = 400; // nodes that textOf reads

/** Roles of inner elements that have their own names: a branch of a tree, the menu of a menu item. */
const OWN_NAMES = words("group tree treeitem menu menubar listbox");
const NESTED_LISTS = words("UL OL MENU");

function hasOwnNames(el: Element): boolean {
  return NESTED_LISTS.has(tagNameOf(el)) || OWN_NAMES.has(attributeOf(el, "role") ?? "");
}

/** textOf gives the text of an element as a user reads it, up to limit characters. With own it skips nested lists. */
export function textOf(el: Element, limit = MAX_NAME, own = false): string {
  if (isLeaf(el)) return sanitizeText(textContentOf(el), limit);
  let text = "";
  let budget = MAX_NAME_NODES;
  const addElement = (n: Element) => {
    const label = attributeOf(n, "aria-label");
    if (own && hasOwnNames(n)) return;
    if (isImage(n)) text += " " + (n.alt || "") + " ";
    else if (label !== null) text += " " + label + " ";
    else {
      const gap = INLINE_TAGS.has(tagNameOf(n)) ? "" : " ";
      text += gap;
      if (isLeaf(n)) text += textContentOf(n).slice(0, limit * 4);
      else forEachChild(n, add, undefined);
      text += gap;
    }
  };
  const add = (n: Node) => {
    if (text.length > limit || --budget < 0) return;
    if (isTextNode(n)) text += n.data.slice(0, limit * 4);
    else if (isElement(n) && !SKIPPED_TAGS.has(tagNameOf(n)) && isRendered(n) && !isAriaHidden(n)) addElement(n);
  };
  forEachChild(el, add, undefined);
  return sanitizeText(text, limit);
}

// Chromium searches the whole document for each use of el.labels. This cache is valid for one call of the program,
// during which nothing changes.
let labelsByRoot = new WeakMap<Node, Map<Element, HTMLLabelElement[]>>();

/** forgetLabels makes the next use of labels search the document again. */
export function forgetLabels(): void {
  labelsByRoot = new WeakMap();
}

const LABELLED = words("BUTTON INPUT METER PROGRESS SELECT TEXTAREA");

function labelsOf(el: Element): HTMLLabelElement[] | undefined {
  // Chromium makes a list for each use of the property, so it is read only if the tag does not decide.
  if (!LABELLED.has(tagNameOf(el)) && !asControl(el).labels) return undefined;
  const root = rootOf(el) as ParentNode & Node;
  let found = labelsByRoot.get(root);
  if (!found) {
    found = new Map();
    for (const label of queryIn(root, "label") as NodeListOf<HTMLLabelElement>) {
      const control = label.control;
      if (!control) continue;
      const list = found.get(control);
      if (list) list.push(label);
      else found.set(control, [label]);
    }
    labelsByRoot.set(root, found);
  }
  return found.get(el);
}

function textOfIds(el: Element, ids: string): string {
  const root = rootOf(el) as Partial<NonElementParentNode>;
  const texts: string[] = [];
  for (const id of ids.split(/\s+/).slice(0, 8)) {
    const other = root.getElementById?.(id);
    if (other) texts.push(textOf(other));
  }
  return sanitizeText(texts.join(" "), MAX_NAME);
}

/** nameOf gives the accessible name of an element with a role. */
export function nameOf(el: Element, role: string): string {
  const ids = attributeOf(el, "aria-labelledby")?.trim();
  const byIds = ids && textOfIds(el, ids);
  if (byIds) return byIds;
  const label = attributeOf(el, "aria-label");
  const byLabel = label && sanitizeText(label, MAX_NAME);
  if (byLabel) return byLabel;
  if (isInput(el) && ["button", "submit", "reset"].includes(el.type))
    return sanitizeText(el.value || el.type, MAX_NAME);
  const labels = labelsOf(el);
  if (labels) {
    const text = labels.slice(0, 4).map((n) => textOf(n));
    const byLabels = sanitizeText(text.join(" "), MAX_NAME);
    if (byLabels) return byLabels;
  }
  const { alt } = asControl(el);
  if (alt) return sanitizeText(alt, MAX_NAME);
  if (NAMED_BY_TEXT.has(role)) {
    const text = textOf(el, MAX_NAME, NAMED_BY_OWN_TEXT.has(role));
    if (text) return text;
  }
  return sanitizeText(attributeOf(el, "title") || attributeOf(el, "placeholder") || "", MAX_NAME);
}
