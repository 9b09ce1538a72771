// Lists and pickers, which headless Chromium would open invisibly.
import { noteEdit } from "./edits";
import {
  boxInWindow,
  isElement,
  listen,
  notifyChanged,
  registeredElement,
  registerElement,
  report,
  targetOf,
  truncate,
} from "./report";

const PICKER_TYPES = new Set(["date", "time", "month", "week", "datetime-local", "color"]);
const MAX_OPTIONS = 1000;
const MAX_SUGGESTIONS = 100;

export interface Choice {
  label: string;
  group: string;
  disabled: boolean;
  selected: boolean;
}

const groupOf = (o: HTMLOptionElement) =>
  o.parentElement?.tagName === "OPTGROUP" ? (o.parentElement as HTMLOptGroupElement) : null;

/** listChoices gives the options of a list for a message. */
export function listChoices(el: HTMLSelectElement): Choice[] {
  return [...el.options].slice(0, MAX_OPTIONS).map((o) => {
    const group = groupOf(o);
    return {
      label: truncate(o.label || o.text, 200),
      group: truncate(group?.label, 100),
      disabled: o.disabled || group?.disabled === true,
      selected: o.selected,
    };
  });
}

function openList(el: HTMLSelectElement): void {
  const box = boxInWindow(el);
  report({ t: "choose", n: registerElement(el), ...box, options: listChoices(el) });
}

function openPicker(el: HTMLInputElement): void {
  const box = boxInWindow(el);
  const range = { min: truncate(el.min, 40), max: truncate(el.max, 40) };
  report({ t: "pick", n: registerElement(el), ...box, type: el.type, value: truncate(el.value, 40), ...range });
}

type Target = Node | null | undefined;

/** isDropDown reports whether a click opens a list. */
export function isDropDown(n: Target): n is HTMLSelectElement {
  if (!isElement(n) || n.tagName !== "SELECT") return false;
  const el = n as HTMLSelectElement;
  return !el.multiple && el.size <= 1 && !el.matches(":disabled");
}

const isWritableInput = (n: Target): n is HTMLInputElement =>
  isElement(n) && n.tagName === "INPUT" && !n.matches(":disabled") && !(n as HTMLInputElement).readOnly;

/** isPicker reports whether a click opens a picker. */
export const isPicker = (n: Target): n is HTMLInputElement => isWritableInput(n) && PICKER_TYPES.has(n.type);

const hasSuggestions = (n: Target): n is HTMLInputElement => isWritableInput(n) && n.list !== null;

/** listSuggestions gives the options of an input's datalist that contain the typed text. */
export function listSuggestions(el: HTMLInputElement): Choice[] {
  const typed = el.value.toLowerCase();
  const matches = (o: HTMLOptionElement) =>
    !o.disabled &&
    o.value !== "" &&
    o.value !== el.value &&
    (o.value.toLowerCase().includes(typed) || o.label.toLowerCase().includes(typed));
  return [...(el.list?.options ?? [])]
    .filter(matches)
    .slice(0, MAX_SUGGESTIONS)
    .map((o) => ({
      label: truncate(o.value, 200),
      group: truncate(o.label === o.value ? "" : o.label, 100),
      disabled: false,
      selected: false,
    }));
}

let suggesting = false;

function suggest(el: HTMLInputElement): void {
  const box = boxInWindow(el);
  const options = listSuggestions(el);
  if (options.length === 0) {
    endSuggestions();
    return;
  }
  suggesting = true;
  report({ t: "suggest", n: registerElement(el), ...box, options });
}

function endSuggestions(): void {
  if (suggesting) report({ t: "calm" });
  suggesting = false;
}

/** selectOf gives the list of an option, and any other node itself. */
function selectOf(n: Node | undefined): Target {
  return isElement(n) && n.tagName === "OPTION" ? n.closest("select") : n;
}

/** opensWith reports whether a key opens lists and pickers. */
export function opensWith(e: KeyboardEvent): boolean {
  return e.key === " " || e.key === "F4" || (e.altKey && (e.key === "ArrowDown" || e.key === "ArrowUp"));
}

/** reportPickers reports the lists, pickers and suggestions that a user would see. */
export function reportPickers(): void {
  listen("mousedown", (e) => {
    const el = selectOf(targetOf(e));
    if (e.button !== 0 || !isDropDown(el)) return;
    openList(el);
    e.preventDefault();
    el.focus();
  });
  listen("click", (e) => {
    const el = targetOf(e);
    if (isPicker(el)) {
      openPicker(el);
      e.preventDefault();
    } else if (hasSuggestions(el)) suggest(el);
  });
  listen("keydown", (e) => {
    const el = targetOf(e);
    const opens = opensWith(e);
    if (isDropDown(el) && (opens || e.key === "Enter")) openList(el);
    else if (isPicker(el) && (opens || (el.type === "color" && e.key === "Enter"))) openPicker(el);
    else return;
    e.preventDefault();
  });
  listen("input", (e) => {
    const el = targetOf(e);
    if (hasSuggestions(el)) suggest(el);
  });
  listen("focusout", endSuggestions);
}

/** chooseOption answers a list. It reports false if the list has no such option any more. */
export function chooseOption(n: number, index: number): boolean {
  const el = registeredElement(n) as HTMLSelectElement | null;
  const option = el?.options[index];
  if (!el || !option || option.disabled) return false;
  el.focus();
  if (el.selectedIndex !== index) {
    el.selectedIndex = index;
    notifyChanged(el);
    noteEdit();
  }
  return true;
}

/** setValue answers a picker or a suggestion. It reports false if the field does not take the value. */
export function setValue(n: number, value: string): boolean {
  const el = registeredElement(n) as HTMLInputElement | null;
  if (!el) return false;
  el.focus();
  el.value = value;
  notifyChanged(el);
  noteEdit();
  return el.value.toLowerCase() === value.toLowerCase();
}
