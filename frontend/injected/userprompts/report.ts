// Messages to the program, and what all of them need.

/** The binding that the program adds to this world. */
declare function goalpostTell(message: string): void;

export function report(message: { t: string } & Record<string, unknown>): void {
  goalpostTell(JSON.stringify(message));
}

export const truncate = (text: string | null | undefined, limit: number) => (text ?? "").slice(0, limit).toWellFormed();

/** listen calls a function with the events that the user caused, and ignores events that a script dispatched. */
export function listen<T extends keyof WindowEventMap>(type: T, f: (e: WindowEventMap[T]) => void): void {
  const onEvent = (e: WindowEventMap[T]) => {
    if (e.isTrusted) f(e);
  };
  addEventListener(type, onEvent, { capture: true, passive: false });
}

/** targetOf gives the innermost target of an event, also in an open shadow root. */
export const targetOf = (e: Event) => e.composedPath()[0] as Node | undefined;

export const isElement = (n: Node | EventTarget | null | undefined): n is Element => (n as Node | null)?.nodeType === 1;

// Elements that messages named, by the numbers that the answers contain.
const asked = new Map<number, WeakRef<Element>>();
let last = 0;

export function registerElement(el: Element): number {
  asked.set(++last, new WeakRef(el));
  for (const oldest of asked.keys()) {
    if (asked.size <= 50) break;
    asked.delete(oldest);
  }
  return last;
}

/** registeredElement gives the element of a number if it is still in the document. */
export function registeredElement(n: number): Element | null {
  const el = asked.get(n)?.deref();
  return el?.isConnected ? el : null;
}

export interface Offset {
  x: number;
  y: number;
  far?: true;
}

/**
 * offsetInWindow gives the position of this document in the window. far means that only the program knows it, because
 * a document around this one has another origin.
 */
export function offsetInWindow(): Offset {
  const offset = { x: 0, y: 0 };
  const far: Offset = { x: 0, y: 0, far: true };
  try {
    for (let view: Window = self; view !== view.parent; view = view.parent) {
      const holder = view.frameElement;
      if (!holder) return far;
      const r = holder.getBoundingClientRect();
      offset.x += r.x + holder.clientLeft;
      offset.y += r.y + holder.clientTop;
    }
  } catch {
    return far;
  }
  return offset;
}

/** boxInWindow gives the box of an element in the window, as messages contain it. */
export function boxInWindow(el: Element) {
  const offset = offsetInWindow();
  const r = el.getBoundingClientRect();
  return { ...offset, x: r.x + offset.x, y: r.y + offset.y, width: r.width, height: r.height };
}

/** notifyChanged dispatches the events of a field that the user changed. */
export function notifyChanged(el: Element): void {
  el.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
  el.dispatchEvent(new Event("change", { bubbles: true }));
}
