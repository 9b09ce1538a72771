// The refs that the agent names elements with: e12, or f3e12 in the third frame.
// Refs of an earlier document must not be valid in this one, so the program gives the number to begin with.
import { documentOf } from "./native";

/** Whether this document is itself a frame of another site. The program sets the variable before it runs the script. */
export const isForeignFrame = (globalThis as { goalpostRemoteFrame?: boolean }).goalpostRemoteFrame === true;

const ids = new WeakMap<Element, string>();
const elements = new Map<string, WeakRef<Element>>();
const frameNumbers = new WeakMap<Document, number>();
let lastRef = 0;
let lastFrame = 0;

export function refOf(el: Element): string {
  let id = ids.get(el);
  if (!id) {
    id = framePrefix(documentOf(el)) + "e" + String(++lastRef);
    ids.set(el, id);
    elements.set(id, new WeakRef(el));
  }
  return id;
}

function framePrefix(doc: Document): string {
  if (!isForeignFrame && doc === document) return "";
  let number = frameNumbers.get(doc);
  if (number === undefined) frameNumbers.set(doc, (number = ++lastFrame));
  return "f" + String(number);
}

/** elementOf gives the element of a ref, if it still exists. */
export const elementOf = (ref: string) => elements.get(ref)?.deref();

/** isRef reports whether a target has the form of a ref. */
export const isRef = (target: string) => /^(f\d+)?e\d+$/.test(target);

/** continueNumbers makes the next ref and frame get numbers above those that the program knows. */
export function continueNumbers(ref: number, frame: number): void {
  lastRef = Math.max(lastRef, ref);
  lastFrame = Math.max(lastFrame, frame);
}

export const lastNumbers = () => ({ last: lastRef, frames: lastFrame });

// Frames of other sites, which this script cannot read, by the numbers that the program gives them.
const foreignFrames = new Map<number, WeakRef<Element>>();

export function registerForeignFrame(el: Element, number: number): void {
  foreignFrames.set(number, new WeakRef(el));
}

/** foreignFrame gives the element of a number, if it still exists. */
export const foreignFrame = (number: number) => foreignFrames.get(number)?.deref() as HTMLElement | undefined;

/** foreignNumber gives the number of a frame of another site, 0 if it has none. */
export function foreignNumber(el: Element): number {
  for (const [number, reference] of foreignFrames) if (reference.deref() === el) return number;
  return 0;
}
