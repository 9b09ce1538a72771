// The states of an element, which a line lists after role and name.
import type { Control } from "./dom";
import { asControl, isInput, isSelect, isTextArea } from "./dom";
import { textOf } from "./names";
import { words } from "./roles";
import { quoteText, sanitizeText } from "./text";
import {
  attributeNamesOf,
  documentOf,
  attributeOf,
  hasAttribute,
  matchesSelector,
  parentElementOf,
  tagNameOf,
} from "./native";

const home = location.origin + "/";
const isTrue = (el: Element, name: string) => attributeOf(el, "aria-" + name) === "true";
const NOT_WRITABLE = ["checkbox", "radio", "button", "submit"];
const WITHOUT_VALUE = ["checkbox", "radio", "button", "submit", "reset", "image"];
const MAX_OPTIONS = 12;
/** Common tags that are not form controls: they cannot be disabled, and have none of a control's properties. */
const PLAIN = words("A AREA DIV SPAN LI TABLE TR TD NAV MAIN DIALOG IFRAME IMG CANVAS H1 H2 H3 H4 H5 H6");

function addSelectValue(el: HTMLSelectElement, out: string[]): void {
  const options = [...el.options].slice(0, MAX_OPTIONS).map((o) => quoteText(o.label, 40));
  const more = el.options.length - options.length;
  out.push("value=" + quoteText([...el.selectedOptions].map((o) => o.label).join(", "), 120));
  out.push("options: " + options.join(" | ") + (more > 0 ? ` | … ${more} more` : ""));
}

function addValue(el: Element, role: string, hasAria: boolean, out: string[]): void {
  if (isSelect(el)) addSelectValue(el, out);
  else if (isInput(el) && el.type === "password") {
    if (el.value) out.push("filled, value hidden");
  } else if (isInput(el) && el.type === "file") out.push(String(el.files?.length ?? 0) + " files");
  else if ((isInput(el) && !WITHOUT_VALUE.includes(el.type)) || isTextArea(el))
    out.push("value=" + quoteText(el.value, 200));
  else if (role === "textbox") out.push("value=" + quoteText(textOf(el, 200), 200));
  else if (hasAria && hasAttribute(el, "aria-valuenow"))
    out.push("value=" + quoteText(attributeOf(el, "aria-valuenow"), 40));
  else if (tagNameOf(el) === "PROGRESS" || tagNameOf(el) === "METER") {
    const bar = el as HTMLProgressElement | HTMLMeterElement;
    out.push(`value=${bar.value} of ${bar.max}`);
  }
}

function addAriaStates(el: Element, out: string[]): void {
  for (const name of ["selected", "pressed", "busy"]) if (isTrue(el, name)) out.push(name);
  const current = attributeOf(el, "aria-current");
  if (current && current !== "false") out.push(current === "true" ? "current" : "current=" + sanitizeText(current, 12));
  if (hasAttribute(el, "aria-expanded")) out.push(isTrue(el, "expanded") ? "expanded" : "collapsed");
}

const POSITION = /^(?:left|top|bottom|right): ?([\d.]+%);?$/;

/** addHandlePosition adds the position of a slider's handle that a script draws, as a share of the width or height. */
function addHandlePosition(el: Element, out: string[]): void {
  const found = POSITION.exec((attributeOf(el, "style") ?? "").trim());
  if (found?.[1]) out.push("position=" + found[1]);
}

/** addressOf gives the address of a link, "" for one within its page, unless the fragment looks like a route. */
export function addressOf(el: Element): string {
  const { href } = asControl(el);
  if (typeof href !== "string" || !/^https?:/.test(href)) return "";
  const hash = href.indexOf("#");
  if (hash >= 0 && href.slice(0, hash) === documentOf(el).URL.split("#", 1)[0]) {
    return /^#(!|\/)/.test(href.slice(hash)) ? href.slice(hash) : "";
  }
  return href.startsWith(home) ? href.slice(home.length - 1) : href;
}

/** statesOf lists the states of an element. focus is the focused element of the page. */
export function statesOf(el: Element, role: string, focus: Element | null): string[] {
  const out: string[] = [];
  const tag = tagNameOf(el);
  const isPlain = PLAIN.has(tag);
  const control: Control = isPlain ? {} : asControl(el);
  const names = attributeNamesOf(el);
  const hasAria = names.some((name) => name.startsWith("aria-"));
  if (role === "heading") out.push(`level ${Number(attributeOf(el, "aria-level")) || Number(tag[1]) || 2}`);
  const disabled = !isPlain && matchesSelector(el, ":disabled");
  if (disabled || (hasAria && isTrue(el, "disabled"))) out.push("disabled");
  if (control.checked === true || (hasAria && isTrue(el, "checked"))) out.push("checked");
  if (hasAria) addAriaStates(el, out);
  if (tag === "SUMMARY")
    out.push((parentElementOf(el) as Partial<HTMLDetailsElement> | null)?.open ? "expanded" : "collapsed");
  if (control.required === true) out.push("required");
  if (control.readOnly === true && !NOT_WRITABLE.includes(control.type ?? "")) out.push("readonly");
  if (hasAria && isTrue(el, "invalid")) out.push("invalid");
  if (el === focus) out.push("focused");
  addValue(el, role, hasAria, out);
  if (names.includes("draggable") && attributeOf(el, "draggable") === "true") out.push("draggable");
  if (role === "clickable") addHandlePosition(el, out);
  const address = role === "link" ? addressOf(el) : "";
  if (address) out.push("-> " + quoteText(address, 120));
  return out;
}
