// How fields are filled, and whether they have their value afterwards.
import { findSpotInView, hasFocusWithin, unreachableError } from "./aim";
import { describe } from "./describe";
import { isInput, isTextArea } from "./dom";
import { TargetError } from "./errors";
import { keysForDate, keysForOption, keysForSlider } from "./fieldkeys";
import { findField, findOptions, isSuggesting, notifyChanged } from "./fields";
import { findElement } from "./find";
import { findSpot, isPoint } from "./hittest";
import { refOf } from "./refs";
import { afterNextFrame } from "./settle";
import { quoteText, truncate } from "./text";
import { focusedElement } from "./tree";
import { documentOf, isConnected, matchesSelector, textContentOf, viewOf } from "./native";

const EXAMPLES: Partial<Record<string, string>> = {
  date: "2025-03-14",
  time: "13:45",
  month: "2025-03",
  week: "2025-W11",
  "datetime-local": "2025-03-14T13:45",
  color: "#1a2b3c",
  range: "a number",
};

/** focusField focuses a field, which must be visible and not covered. */
function focusField(el: HTMLElement): void {
  const spot = findSpotInView(el);
  if (!isPoint(spot)) throw unreachableError(spot, describe(el));
  if (focusedElement() === el) el.blur(); // a date begins at its first part again
  el.focus();
}

/** planOptions plans how to choose options: with keys, or one by one with the mouse if the list is open. */
function planOptions(el: HTMLSelectElement, options: HTMLOptionElement[]) {
  const open = el.multiple || el.size > 1;
  focusField(el);
  const indices = options.map((o) => o.index);
  return { keys: open || !options[0] ? [] : keysForOption(el, options[0]), places: open ? indices : [], indices };
}

/** planChoice plans how to choose options of a list. */
export function planChoice(target: string, names: string[]) {
  const { kind, el } = findField(target);
  const words = describe(el);
  if (kind !== "choose") {
    throw new TargetError("bad", `${words} is not a list with options: click it and then its entry`);
  }
  const select = el as HTMLSelectElement;
  return { ref: refOf(el), words, kind, ...planOptions(select, findOptions(select, words, names)) };
}

/** checkValue returns a text as the field would store it, or throws an error with an example. */
function checkValue(el: HTMLInputElement, description: string, text: string): string {
  const probe = el.cloneNode() as HTMLInputElement;
  probe.value = text;
  const invalid =
    el.type === "range"
      ? text.trim() === "" || Number.isNaN(Number(text))
      : probe.value.toLowerCase() !== text.toLowerCase();
  if (!invalid) return probe.value;
  const example = EXAMPLES[el.type] ?? "";
  throw new TargetError("bad", `${description} does not take ${quoteText(text)}: write it like ${example}`);
}

/** planFill plans how to fill a field with a text. */
export function planFill(target: string, text: string) {
  const { el, kind } = findField(target);
  const plan = {
    ref: refOf(el),
    words: describe(el),
    kind,
    suggests: isSuggesting(el),
    keys: [] as string[],
    value: text,
  };
  if (kind === "choose") {
    const select = el as HTMLSelectElement;
    return { ...plan, ...planOptions(select, findOptions(select, plan.words, [text])) };
  }
  if (kind === "set") {
    const input = el as HTMLInputElement;
    plan.value = checkValue(input, plan.words, text);
    focusField(input);
    plan.keys =
      input.type === "range"
        ? keysForSlider(input, Number(plan.value))
        : keysForDate(input.type, text, navigator.language);
  }
  return plan;
}

/**
 * locateOption gives the position of an option of an open list. A list scrolls to the last choice in a separate task,
 * which may not have run yet.
 */
export async function locateOption(target: string, index: number) {
  const el = findElement(target) as unknown as HTMLSelectElement;
  await afterNextFrame();
  const option = (el.options as HTMLOptionsCollection | undefined)?.[index];
  if (!option) throw new TargetError("stale", target);
  option.scrollIntoView({ block: "nearest", behavior: "instant" });
  const spot = findSpot(option);
  const point = isPoint(spot) ? spot : { x: -1, y: -1 };
  return { ref: target, words: quoteText(option.label, 60), x: point.x, y: point.y };
}

/** isFilled reports whether a field has the value, or a list the options, that the keys were meant to set. */
export function isFilled(target: string, value: string, indices: number[] | null) {
  const el = findElement(target);
  if (!indices) return { held: (el as HTMLInputElement).value === value };
  const chosen = [...(el as unknown as HTMLSelectElement).selectedOptions].map((o) => o.index);
  return { held: chosen.length === indices.length && indices.every((i) => chosen.includes(i)) };
}

/** setField sets a value or options that keys could not set. */
export function setField(target: string, value: string, indices: number[] | null): true {
  const el = findElement(target);
  const select = el as unknown as HTMLSelectElement;
  el.focus();
  if (!indices) (el as HTMLInputElement).value = value;
  else if (!select.multiple) select.selectedIndex = indices[0] ?? -1;
  else for (const o of select.options) o.selected = indices.includes(o.index);
  notifyChanged(el);
  return true;
}

/**
 * moveCaret puts the caret at the end of a field, or selects everything. end means that a script cannot move the caret
 * in this field, which needs the key End; lines that it takes several lines.
 */
export function moveCaret(target: string, all: boolean) {
  const el = findElement(target);
  if (!hasFocusWithin(el)) el.focus();
  if (isInput(el) || isTextArea(el)) {
    if (all) el.select();
    else {
      try {
        el.setSelectionRange(el.value.length, el.value.length);
      } catch {
        return { end: true, empty: el.value === "", lines: false }; // fields for numbers and mail addresses
      }
    }
    return { end: false, empty: el.value === "", lines: isTextArea(el) };
  }
  const range = documentOf(el).createRange();
  range.selectNodeContents(el);
  if (!all) range.collapse(false);
  const selection = viewOf(documentOf(el))?.getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
  return { end: false, empty: textContentOf(el) === "", lines: true };
}

let typing: { el: Element; was: string; taken: boolean; inputs: AbortController } | null = null;

function contentOf(el: Element): string {
  return isInput(el) || isTextArea(el) ? el.value : textContentOf(el);
}

/** startTyping records the value of a field before typing, and fails for a field that takes no keys. */
export function startTyping(target: string): true {
  const el = findElement(target);
  typing?.inputs.abort();
  const inputs = new AbortController();
  const own = { el, was: contentOf(el), taken: false, inputs };
  typing = own;
  const options = { capture: true, signal: inputs.signal };
  // A page may put the text elsewhere: an editor into its lines, a field for a code into the next field.
  addEventListener("input", () => (own.taken = true), options);
  viewOf(documentOf(el))?.addEventListener("input", () => (own.taken = true), options);
  const refusal = refusalOf(el);
  if (!refusal) return true;
  throw new TargetError("disabled", `${refusal}: nothing was typed`);
}

/** refusalOf gives the reason why a field takes no keys, "" if it takes them. */
function refusalOf(el: HTMLElement): string {
  if (matchesSelector(el, ":disabled")) return `${describe(el)} was disabled when it got the focus`;
  if ((isInput(el) || isTextArea(el)) && el.readOnly) return `${describe(el)} became read-only when it got the focus`;
  return "";
}

/** checkTyped compares the value of a field with what was typed. */
export function checkTyped(target: string, text: string, cleared: boolean) {
  const own = typing;
  typing = null;
  own?.inputs.abort();
  const el = findElement(target);
  if (own?.el !== el) return {};
  const now = contentOf(el);
  const words = describe(el);
  const secret = isInput(el) && el.type === "password";
  const want = cleared ? text : own.was + text;
  if (now === want || !isConnected(el)) return {};
  if (now === own.was && !own.taken) {
    const refusal = refusalOf(el) || (hasFocusWithin(el) ? "" : `${words} lost the focus`);
    return { problem: `${refusal || `${words} did not take the text`}: nothing was typed` };
  }
  if (secret || (!isInput(el) && !isTextArea(el))) return {};
  return { note: `the page changed the text in ${truncate(words, 80)}: look at its value` };
}
