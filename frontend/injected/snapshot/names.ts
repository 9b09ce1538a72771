// The text and the accessible name of elements.
import { asControl, isAriaHidden, isElement, isImage, isInput, isTextNode } from "./dom";
import { INLINE_TAGS, NAMED_BY_TEXT, SKIPPED_TAGS } from "./roles";
import { sanitizeText } from "./text";
import { forEachChild } from "./tree";
import { isLeaf, isRendered } from "./visibility";

const NAME_LIMIT = 160; // characters
const NODE_LIMIT = 400; // nodes that textOf reads

/** textOf is the text in an element as a user reads it, up to limit characters. */
export function textOf(el: Element, limit = NAME_LIMIT): string {
  if (isLeaf(el)) return sanitizeText(el.textContent, limit);
  let text = "";
  let budget = NODE_LIMIT;
  const addElement = (n: Element) => {
    const label = n.getAttribute("aria-label");
    if (isImage(n)) text += " " + (n.alt || "") + " ";
    else if (label !== null) text += " " + label + " ";
    else {
      const gap = INLINE_TAGS.has(n.tagName) ? "" : " ";
      text += gap;
      if (isLeaf(n)) text += n.textContent.slice(0, limit * 4);
      else forEachChild(n, add, undefined);
      text += gap;
    }
  };
  const add = (n: Node) => {
    if (text.length > limit || --budget < 0) return;
    if (isTextNode(n)) text += n.data.slice(0, limit * 4);
    else if (isElement(n) && !SKIPPED_TAGS.has(n.tagName) && isRendered(n) && !isAriaHidden(n)) addElement(n);
  };
  forEachChild(el, add, undefined);
  return sanitizeText(text, limit);
}

// Chromium searches the whole document for each use of el.labels. What was found here is
// valid for one call of the program, during which nothing changes.
let labelsByRoot = new WeakMap<Node, Map<Element, HTMLLabelElement[]>>();

/** forgetLabels makes the next use of labels search the document again. */
export function forgetLabels(): void {
  labelsByRoot = new WeakMap();
}

function labelsOf(el: Element): HTMLLabelElement[] | undefined {
  if (!asControl(el).labels) return undefined;
  const root = el.getRootNode() as ParentNode & Node;
  let found = labelsByRoot.get(root);
  if (!found) {
    found = new Map();
    for (const label of root.querySelectorAll("label")) {
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
  const root = el.getRootNode() as Partial<NonElementParentNode>;
  const texts: string[] = [];
  for (const id of ids.split(/\s+/).slice(0, 8)) {
    const other = root.getElementById?.(id);
    if (other) texts.push(textOf(other));
  }
  return sanitizeText(texts.join(" "), NAME_LIMIT);
}

/** nameOf is the accessible name of an element that has a role. */
export function nameOf(el: Element, role: string): string {
  const ids = el.getAttribute("aria-labelledby")?.trim();
  const byIds = ids && textOfIds(el, ids);
  if (byIds) return byIds;
  const label = el.getAttribute("aria-label");
  const byLabel = label && sanitizeText(label, NAME_LIMIT);
  if (byLabel) return byLabel;
  if (isInput(el) && ["button", "submit", "reset"].includes(el.type))
    return sanitizeText(el.value || el.type, NAME_LIMIT);
  const labels = labelsOf(el);
  if (labels) {
    const text = labels.slice(0, 4).map((n) => textOf(n));
    const byLabels = sanitizeText(text.join(" "), NAME_LIMIT);
    if (byLabels) return byLabels;
  }
  const { alt } = asControl(el);
  if (alt) return sanitizeText(alt, NAME_LIMIT);
  if (NAMED_BY_TEXT.has(role)) {
    const text = textOf(el);
    if (text) return text;
  }
  return sanitizeText(el.getAttribute("title") || el.getAttribute("placeholder") || "", NAME_LIMIT);
}
