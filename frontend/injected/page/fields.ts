// Form fields: which one a target names, and what can be entered.
import { describe } from "./describe";
import { isEditable, isInput, isSelect, isTextArea, labelTarget } from "./dom";
import { TargetError } from "./errors";
import { findElement } from "./find";
import { refOf } from "./refs";
import { roleOf } from "./roles";
import { normalizeQuery, quoteText } from "./text";
import { isVisible } from "./visibility";
import { attributeOf, hasAttribute, matchesSelector, rectsOf } from "./native";

/** How a field is filled: text is typed, an option is chosen, a value such as a date is set. */
export type FieldKind = "text" | "choose" | "set";

const SET_TYPES = ["date", "time", "month", "week", "datetime-local", "color", "range"];
const CLICKED_TYPES = ["checkbox", "radio", "button", "submit", "reset", "image", "hidden"];

const takesInput = (el: Element) => isTextArea(el) || isSelect(el) || isEditable(el) || isInput(el);

function findInside(el: HTMLElement): HTMLElement {
  const fields = el.querySelectorAll<HTMLElement>("input, textarea, select, [contenteditable]");
  const [field, ...others] = [...fields].filter(isVisible);
  if (!field || others.length > 0) throw new TargetError("bad", `${describe(el)} is not a text field`);
  return field;
}

/** findField finds the field of a target: the element itself, the control of a label, or the only field inside. */
export function findField(target: string): { el: HTMLElement; kind: FieldKind } {
  const named = labelTarget(findElement(target));
  const el = takesInput(named) ? named : findInside(named);
  if (isInput(el) && CLICKED_TYPES.includes(el.type)) {
    throw new TargetError("bad", `${describe(el)} is not a text field: click it`);
  }
  if (isInput(el) && el.type === "file") {
    throw new TargetError("bad", `${describe(el)} takes files: give them with browser_upload`);
  }
  if (matchesSelector(el, ":disabled")) throw new TargetError("disabled", `${describe(el)} is disabled`);
  if ((el as HTMLInputElement).readOnly) throw new TargetError("disabled", `${describe(el)} is read-only`);
  if (isSelect(el)) return { el, kind: "choose" };
  return { el, kind: isInput(el) && SET_TYPES.includes(el.type) ? "set" : "text" };
}

/** findOptions finds options of a list by their labels or values. An equal one precedes one that contains the name. */
export function findOptions(el: HTMLSelectElement, description: string, names: string[]): HTMLOptionElement[] {
  const options = [...el.options];
  const found = names.map((name) => {
    const want = normalizeQuery(name);
    const findBy = (test: (text: string) => boolean) =>
      options.find((o) => !o.disabled && (test(normalizeQuery(o.label)) || test(o.value.toLowerCase())));
    const option = findBy((s) => s === want) ?? (want ? findBy((s) => s.includes(want)) : undefined);
    if (option) return option;
    const some = options.slice(0, 20).map((o) => quoteText(o.label, 40));
    const rest = options.length - some.length;
    const more = rest > 0 ? ` and ${rest} more, which browser_find lists with role=option` : "";
    throw new TargetError("none", `${description} has no option ${quoteText(name)}; it has ${some.join(", ")}${more}`);
  });
  if (found.length > 1 && !el.multiple) throw new TargetError("bad", `${description} takes one option`);
  return found;
}

const SUGGESTING = ["aria-autocomplete", "aria-controls", "aria-owns", "aria-haspopup", "list"];

/** isSuggesting reports whether a field probably suggests entries, which appear after a moment. */
export function isSuggesting(el: Element): boolean {
  const role = roleOf(el);
  if (role === "combobox" || role === "searchbox") return true;
  return SUGGESTING.some((name) => hasAttribute(el, name)) || attributeOf(el, "autocomplete") === "off";
}

/** notifyChanged dispatches the events of a field that the user changed. */
export function notifyChanged(el: Element): void {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}

/** maskField makes a field show dots, because the text of a field cannot be redacted in a picture. */
export function maskField(target: string) {
  const { el } = findField(target);
  el.style.setProperty("-webkit-text-security", "disc", "important");
  return { words: describe(el) };
}

/** findFileInput finds the file input of a target, which must accept count files. */
export function findFileInput(target: string, count: number) {
  const named = labelTarget(findElement(target));
  const el = isInput(named) ? named : (named.querySelector<HTMLInputElement>("input[type=file]") ?? named);
  if (!isInput(el) || el.type !== "file") throw new TargetError("bad", `${describe(el)} takes no files`);
  if (count > 1 && !el.multiple) throw new TargetError("bad", `${describe(el)} takes one file`);
  return { ref: refOf(el), words: describe(el) };
}

const CHECKABLE = ["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"];

/** findCheckbox gives the state of a box, and what to click: its label, if the box itself is not drawn. */
export function findCheckbox(target: string) {
  const el = labelTarget(findElement(target));
  if (!CHECKABLE.includes(roleOf(el))) throw new TargetError("bad", `${describe(el)} cannot be ticked`);
  const input = isInput(el) ? el : null;
  const checked = input ? input.checked : attributeOf(el, "aria-checked") === "true";
  const isDrawn = rectsOf(el).length > 0 && getComputedStyle(el).opacity !== "0";
  const label = isDrawn ? undefined : [...((el as HTMLInputElement).labels ?? [])].find(isVisible);
  return { ref: refOf(label ?? el), words: describe(el), checked };
}
