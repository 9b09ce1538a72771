// Type guards for nodes. They compare names: instanceof does not hold for the nodes of a frame.
import { attributeOf, bodyElementOf, nodeTypeOf, rootElementOf, tagNameOf } from "./native";

export type Root = Document | ShadowRoot;

export const isElement = (n: Node): n is Element => nodeTypeOf(n) === 1;
export const isTextNode = (n: Node): n is Text => nodeTypeOf(n) === 3;
export const isInput = (el: Element): el is HTMLInputElement => tagNameOf(el) === "INPUT";
export const isTextArea = (el: Element): el is HTMLTextAreaElement => tagNameOf(el) === "TEXTAREA";
export const isSelect = (el: Element): el is HTMLSelectElement => tagNameOf(el) === "SELECT";
export const isImage = (el: Element): el is HTMLImageElement => tagNameOf(el) === "IMG";
export const isLabel = (el: Element): el is HTMLLabelElement => tagNameOf(el) === "LABEL";
export const isSlot = (el: Element): el is HTMLSlotElement => tagNameOf(el) === "SLOT";
export const isFrame = (el: Element): el is HTMLIFrameElement =>
  tagNameOf(el) === "IFRAME" || tagNameOf(el) === "FRAME";
export const isAriaHidden = (el: Element) => attributeOf(el, "aria-hidden") === "true";

/** Properties that some elements have, mainly form controls. */
export interface Control {
  alt?: string;
  checked?: boolean;
  control?: HTMLElement | null;
  disabled?: boolean;
  form?: HTMLFormElement | null;
  href?: unknown;
  isContentEditable?: boolean;
  label?: string;
  labels?: NodeListOf<HTMLLabelElement> | null;
  readOnly?: boolean;
  required?: boolean;
  selected?: boolean;
  tabIndex?: number;
  type?: string;
  value?: unknown;
}

/** asControl lets a caller read those properties of any element. A form has none: its fields may have these names. */
export const asControl = (el: Element): Control => (tagNameOf(el) === "FORM" ? {} : (el as Control));

/** bodyOf gives the element with a document's content: the body, or the root element of a document without one. */
export function bodyOf(doc: Document): HTMLElement {
  return bodyElementOf(doc) ?? rootElementOf(doc);
}

/** isEditable reports whether the user edits the content of an element that is not a form control. */
export const isEditable = (el: Element) => asControl(el).isContentEditable === true;

/** labelTarget gives the control of a label, and any other element itself. */
export function labelTarget(el: HTMLElement): HTMLElement {
  return isLabel(el) && el.control ? el.control : el;
}
