// Watches the click that follows. If another element moved in between, the click would hit that one, and is kept from
// the page. A guard must not outlive its click: it would swallow the next one.
import { describeWithRef } from "./describe";
import { offsetOf } from "./geometry";
import { elementAt, receives } from "./hittest";
import { afterNextFrame, waitForFrame } from "./settle";
import { documentOf, viewOf } from "./native";

interface Guard {
  el: Element;
  view: Window;
  pressed: boolean;
  missed: Element | null; // the element that the click hit instead
}

const EVENTS = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "auxclick",
  "dblclick",
  "contextmenu",
] as const;

let guard: Guard | null = null;
let turn = 0; // counts the calls that set or remove a guard; a call that a later one has overtaken does neither

/** nextTurn begins a call, and overtakes those before it. */
export const nextTurn = () => ++turn;

/** setGuard guards the next click, unless a later call began since. */
export function setGuard(el: Element, own: number): void {
  const view = viewOf(documentOf(el));
  if (own !== turn || !view) return;
  removeGuard();
  guard = { el, view, pressed: false, missed: null };
  for (const type of EVENTS) view.addEventListener(type, onButton, { capture: true, passive: false });
}

export function removeGuard(): void {
  if (guard) for (const type of EVENTS) guard.view.removeEventListener(type, onButton, { capture: true });
  guard = null;
}

function onButton(e: MouseEvent): void {
  if (!guard || !e.isTrusted) return;
  if (!guard.pressed && (e.type === "pointerdown" || e.type === "mousedown")) {
    guard.pressed = true;
    const offset = offsetOf(guard.el);
    const hit = elementAt(e.clientX + offset.x, e.clientY + offset.y);
    if (hit && !receives(guard.el, hit)) guard.missed = hit;
  }
  if (guard.missed) {
    e.preventDefault();
    e.stopImmediatePropagation();
  }
}

/** finishClick describes the element that a click hit instead of its target, "" if it hit the target. */
export async function finishClick(settling: boolean) {
  const was = guard;
  removeGuard();
  if (was?.missed) return { missed: describeWithRef(was.missed) };
  return { missed: "", activity: settling ? await waitForFrame() : null };
}

/**
 * releaseClick removes the guard of a click that was not made, or whose caller no longer waits. With pressed the click
 * may still arrive, so the guard remains for another frame.
 */
export async function releaseClick(pressed: boolean): Promise<void> {
  const own = nextTurn();
  if (pressed) await afterNextFrame();
  if (own === turn) removeGuard();
}
