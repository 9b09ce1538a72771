// The roles of elements, and the kinds of tags that matter to the walk over a page.
import { asControl, isElement } from "./dom";
import { isListening } from "./listeners";
import { parentOf } from "./tree";
import { attributeOf, hasAttribute, parentElementOf, tagNameOf } from "./native";

const TAG_ROLES: Partial<Record<string, string>> = {
  BUTTON: "button",
  TEXTAREA: "textbox",
  SUMMARY: "button",
  IMG: "img",
  NAV: "navigation",
  MAIN: "main",
  DIALOG: "dialog",
  FORM: "form",
  TABLE: "table",
  IFRAME: "iframe",
  FRAME: "iframe",
  CANVAS: "canvas",
  VIDEO: "video",
  AUDIO: "audio",
  PROGRESS: "progressbar",
  METER: "meter",
  H1: "heading",
  H2: "heading",
  H3: "heading",
  H4: "heading",
  H5: "heading",
  H6: "heading",
};

const INPUT_ROLES: Partial<Record<string, string>> = {
  checkbox: "checkbox",
  radio: "radio",
  button: "button",
  submit: "button",
  reset: "button",
  image: "button",
  range: "slider",
  number: "spinbutton",
  search: "searchbox",
  file: "file input",
  color: "color input",
  date: "date input",
  time: "time input",
  month: "month input",
  week: "week input",
  "datetime-local": "datetime-local input",
  hidden: "",
};

export const words = (list: string) => new Set(list.split(/\s+/));

/** Roles of elements that the user clicks or types into. */
export const USABLE = words(`button link textbox searchbox combobox listbox option checkbox radio switch slider
  spinbutton tab menuitem menuitemcheckbox menuitemradio treeitem gridcell clickable canvas`);
/** Roles that are named by the text inside. */
export const NAMED_BY_TEXT = words(`button link option checkbox radio switch tab menuitem menuitemcheckbox
  menuitemradio treeitem gridcell heading clickable tooltip`);
/** Those of NAMED_BY_TEXT whose elements may contain others of the same kind. */
export const NAMED_BY_OWN_TEXT = words("treeitem menuitem menuitemcheckbox menuitemradio clickable");
/** Roles of elements that are clicked and have no state to set. */
export const CLICKED = words("button link option tab menuitem treeitem gridcell clickable");
/** Tags that change how a text looks, and nothing else. */
export const FORMATTING = words("B I EM STRONG SMALL CODE SUB SUP MARK ABBR TIME U S CITE Q KBD FONT BR WBR");
/** Roles that are listed if they have a name. */
export const PICTURES = words("img video audio progressbar meter");
/** Roles that are listed with or without a name. */
export const GROUPS = words("navigation main dialog alertdialog alert form table iframe status search");
/** Tags whose content is not part of the page's text. */
export const SKIPPED_TAGS = words("SCRIPT STYLE NOSCRIPT TEMPLATE HEAD META LINK TITLE OPTION OPTGROUP DATALIST");
/** Tags that do not begin a line. */
export const INLINE_TAGS = words(`A SPAN B I EM STRONG SMALL CODE SUB SUP LABEL MARK ABBR TIME U S CITE Q KBD VAR SAMP
  FONT BDI BDO DFN DEL INS SLOT WBR SVG svg`);

/** Bits of tagKind. */
export const SKIPPED = 1;
export const INLINE = 2;
export const CELL = 4;

const kinds = new Map<string, number>();

/** tagKind combines the bits of a tag. */
export function tagKind(tag: string): number {
  const cached = kinds.get(tag);
  if (cached !== undefined) return cached;
  const kind =
    (SKIPPED_TAGS.has(tag) ? SKIPPED : 0) |
    (INLINE_TAGS.has(tag) ? INLINE : 0) |
    (tag === "TD" || tag === "TH" ? CELL : 0);
  if (kinds.size < 1000) kinds.set(tag, kind); // a page may invent any number of tags
  return kind;
}

function ariaRole(attribute: string): string {
  const first = attribute.trim().split(/\s+/)[0]?.toLowerCase() ?? "";
  const ignored = first === "presentation" || first === "none" || first === "generic";
  return /^[a-z]{2,20}$/.test(first) && !ignored ? first : "";
}

/**
 * roleOf gives the role of an element as the agent reads it, "" for an element without one. A caller that knows the
 * tag, or that there are no attributes, passes both.
 */
export function roleOf(el: Element, tag = tagNameOf(el), attributed = true): string {
  const attribute = attributed ? attributeOf(el, "role") : null;
  const role = attribute && ariaRole(attribute);
  if (role) return role;
  switch (tag) {
    case "A":
    case "AREA":
      return hasAttribute(el, "href") ? "link" : "";
    case "INPUT":
      return INPUT_ROLES[(el as HTMLInputElement).type] ?? "textbox";
    case "SELECT": {
      const select = el as HTMLSelectElement;
      return select.multiple || select.size > 1 ? "listbox" : "combobox";
    }
  }
  if (
    attributed &&
    hasAttribute(el, "contenteditable") &&
    asControl(el).isContentEditable &&
    !(parentElementOf(el) as HTMLElement | null)?.isContentEditable
  ) {
    return "textbox";
  }
  return TAG_ROLES[tag] ?? "";
}

const hasPointer = (n: Node) => isElement(n) && getComputedStyle(n).cursor === "pointer";

/** isFocusable reports whether the tab key goes to an element because of its attribute. */
export const isFocusable = (el: Element) => hasAttribute(el, "tabindex") && (asControl(el).tabIndex ?? -1) >= 0;

/** isClickable reports whether an element without a role looks as if a click had an effect. */
export function isClickable(el: Element): boolean {
  return (
    hasAttribute(el, "onclick") || isListening(el) || isFocusable(el) || (hasPointer(el) && !hasPointer(parentOf(el)))
  );
}
