// What a line says about an element after its role and name.
import { asControl, isInput, isSelect, isTextArea } from "./dom";
import { textOf } from "./names";
import { quoteText } from "./text";

const home = location.origin + "/";
const isTrue = (el: Element, name: string) => el.getAttribute("aria-" + name) === "true";
const NOT_WRITABLE = ["checkbox", "radio", "button", "submit"];
const WITHOUT_VALUE = ["checkbox", "radio", "button", "submit", "reset", "image"];
const MOST_OPTIONS = 12;

function addSelectValue(el: HTMLSelectElement, out: string[]): void {
  const options = [...el.options].slice(0, MOST_OPTIONS).map((o) => quoteText(o.label, 40));
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
  else if (hasAria && el.hasAttribute("aria-valuenow"))
    out.push("value=" + quoteText(el.getAttribute("aria-valuenow"), 40));
  else if (el.tagName === "PROGRESS" || el.tagName === "METER") {
    const bar = el as HTMLProgressElement | HTMLMeterElement;
    out.push(`value=${bar.value} of ${bar.max}`);
  }
}

function addAriaStates(el: Element, out: string[]): void {
  for (const name of ["selected", "pressed", "busy"]) if (isTrue(el, name)) out.push(name);
  if (el.hasAttribute("aria-expanded")) out.push(isTrue(el, "expanded") ? "expanded" : "collapsed");
}

/** statesOf lists the states of an element. focus is what has the keyboard. */
export function statesOf(el: Element, role: string, focus: Element | null): string[] {
  const out: string[] = [];
  const tag = el.tagName;
  const control = asControl(el);
  const hasAria = el.getAttributeNames().some((name) => name.startsWith("aria-"));
  if (role === "heading") out.push(`level ${Number(el.getAttribute("aria-level")) || Number(tag[1]) || 2}`);
  if (el.matches(":disabled") || (hasAria && isTrue(el, "disabled"))) out.push("disabled");
  if (control.checked === true || (hasAria && isTrue(el, "checked"))) out.push("checked");
  if (hasAria) addAriaStates(el, out);
  if (tag === "SUMMARY")
    out.push((el.parentElement as Partial<HTMLDetailsElement> | null)?.open ? "expanded" : "collapsed");
  if (control.required === true) out.push("required");
  if (control.readOnly === true && !NOT_WRITABLE.includes(control.type ?? "")) out.push("readonly");
  if (hasAria && isTrue(el, "invalid")) out.push("invalid");
  if (el === focus) out.push("focused");
  addValue(el, role, hasAria, out);
  const href = role === "link" ? control.href : "";
  if (typeof href === "string" && /^https?:/.test(href)) {
    out.push("-> " + quoteText(href.startsWith(home) ? href.slice(home.length - 1) : href, 120));
  }
  return out;
}
