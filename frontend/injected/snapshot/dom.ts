// Type guards for nodes. They compare names: instanceof does not hold for the nodes of a frame.

export type Root = Document | ShadowRoot;

export const isElement = (n: Node): n is Element => n.nodeType === 1;
export const isTextNode = (n: Node): n is Text => n.nodeType === 3;
export const isInput = (el: Element): el is HTMLInputElement => el.tagName === "INPUT";
export const isTextArea = (el: Element): el is HTMLTextAreaElement => el.tagName === "TEXTAREA";
export const isSelect = (el: Element): el is HTMLSelectElement => el.tagName === "SELECT";
export const isImage = (el: Element): el is HTMLImageElement => el.tagName === "IMG";
export const isLabel = (el: Element): el is HTMLLabelElement => el.tagName === "LABEL";
export const isSlot = (el: Element): el is HTMLSlotElement => el.tagName === "SLOT";
export const isFrame = (el: Element): el is HTMLIFrameElement => el.tagName === "IFRAME" || el.tagName === "FRAME";
export const isAriaHidden = (el: Element) => el.getAttribute("aria-hidden") === "true";

/** Properties that some elements have, chiefly form controls. */
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

/** asControl lets a caller read those properties of any element. */
export const asControl = (el: Element) => el as Element & Control;

/** bodyOf is where a document's content is. A document without a body has its root element alone. */
export function bodyOf(doc: Document): HTMLElement {
  const body: HTMLElement | null = doc.body;
  // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- a document may have no body
  return body ?? doc.documentElement;
}

/** isEditable reports whether the user edits the content of an element that is not a form control. */
export const isEditable = (el: Element) => asControl(el).isContentEditable === true;

/** labelTarget is the control of a label, and any other element itself. */
export function labelTarget(el: HTMLElement): HTMLElement {
  return isLabel(el) && el.control ? el.control : el;
}
