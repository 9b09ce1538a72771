// The keys that fill lists, dates and sliders, as a user without a mouse presses them.
import { parentElementOf } from "./native";

const MAX_STEPS = 300; // keys for a slider

const repeat = (key: string, n: number) => new Array<string>(n).fill(key);

/** keysForOption lists the keys that open a list and choose an option. */
export function keysForOption(el: HTMLSelectElement, option: HTMLOptionElement): string[] {
  const isOffered = (o: HTMLOptionElement) =>
    !o.disabled && !o.hidden && !(parentElementOf(o) as HTMLOptGroupElement | null)?.disabled;
  const offered = [...el.options].filter(isOffered);
  const to = offered.indexOf(option);
  const chosen = el.selectedOptions[0];
  const from = chosen ? offered.indexOf(chosen) : -1;
  if (to < 0 || to === from) return [];
  const steps =
    from < 0 ? ["Home", ...repeat("ArrowDown", to)] : repeat(to > from ? "ArrowDown" : "ArrowUp", Math.abs(to - from));
  return ["Space", ...steps, "Enter"];
}

/** keysForSlider lists the keys that move a slider to a value, none if it needs more than MAX_STEPS. */
export function keysForSlider(el: HTMLInputElement, value: number): string[] {
  const step = Number(el.step || 1);
  const n = step ? Math.round((value - Number(el.value)) / step) : NaN;
  return Math.abs(n) <= MAX_STEPS ? repeat(n > 0 ? "ArrowRight" : "ArrowLeft", Math.abs(n)) : [];
}

const partTypes = (language: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(language, options).formatToParts(0).map((p) => p.type);

/** keysForDate lists the keys for the parts of a date or a time, in the order in which Chromium shows them. */
export function keysForDate(type: string, value: string, language: string): string[] {
  const m = /^(?:(\d{4})-(\d\d)-(\d\d))?T?(?:(\d\d):(\d\d))?$/.exec(value);
  if (!m || !["date", "time", "datetime-local"].includes(type)) return [];
  const day = type === "time" ? [] : partTypes(language, { year: "numeric", month: "2-digit", day: "2-digit" });
  const time = type === "date" ? [] : partTypes(language, { hour: "2-digit", minute: "2-digit" });
  const hours = Number(m[4]);
  const parts: Partial<Record<string, string>> = {
    year: m[1] ?? "",
    month: m[2] ?? "",
    day: m[3] ?? "",
    hour: time.includes("dayPeriod") ? String(hours % 12 || 12).padStart(2, "0") : (m[4] ?? ""),
    minute: m[5] ?? "",
    dayPeriod: hours < 12 ? "a" : "p",
  };
  const order = [...day, ...time].filter((part) => part in parts);
  return order.flatMap((part, i) => {
    const keys = Array.from(parts[part] ?? "");
    return part === "year" && i < order.length - 1 ? [...keys, "ArrowRight"] : keys; // a year may have more digits
  });
}
