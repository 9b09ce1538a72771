import type { PaneInput } from "@/bridge/types";

interface Modifiers {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}

const pressedModifiers: Modifiers = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

/** The protocol's mask: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
export function modifiers(e: Modifiers): number {
  return (e.altKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);
}

/** The letter that a key stands for in the user's layout; where that is not Latin, in the usual one. */
export function letterOf(e: { key: string; code: string }): string {
  if (/^[a-z]$/i.test(e.key)) return e.key.toLowerCase();
  return /^Key[A-Z]$/.test(e.code) && !/^[\x20-\x7e]$/.test(e.key) ? e.code.slice(3).toLowerCase() : "";
}

export const emptyInput: PaneInput = {
  kind: "move",
  x: 0,
  y: 0,
  button: "none",
  buttons: 0,
  clicks: 0,
  dx: 0,
  dy: 0,
  key: "",
  code: "",
  key_code: 0,
  text: "",
  modifiers: 0,
  repeat: false,
  points: [],
};

export interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** A point of the window in CSS pixels of the page that the picture in `box` shows. */
export function toPage(clientX: number, clientY: number, box: Box, page: { width: number; height: number }) {
  const scaleX = box.width > 0 ? page.width / box.width : 1;
  const scaleY = box.height > 0 ? page.height / box.height : 1;
  return {
    x: clamp((clientX - box.left) * scaleX, page.width),
    y: clamp((clientY - box.top) * scaleY, page.height),
  };
}

function clamp(v: number, max: number): number {
  return Math.round(Math.min(Math.max(0, v), Math.max(0, max - 1)) * 10) / 10;
}

const buttons = ["left", "middle", "right"] as const;

export function buttonName(button: number): PaneInput["button"] {
  return buttons[button] ?? "none";
}

const lineHeight = 16;

/** Wheel distance in pixels, whatever unit the event came in. */
export function wheelPixels(delta: number, mode: number, pageSize: number): number {
  if (mode === 1) return delta * lineHeight;
  if (mode === 2) return delta * pageSize;
  return delta;
}

interface KeyLike extends Modifiers {
  key: string;
  code: string;
  keyCode: number;
  repeat: boolean;
  getModifierState?: (key: string) => boolean;
}

const onMac = navigator.userAgent.includes("Macintosh");

/** Whether AltGr, or Option on a Mac, has made the character: then it is typed, and no shortcut. */
export function isThirdLevel(e: KeyLike, mac = onMac): boolean {
  return e.getModifierState?.("AltGraph") === true || (mac && e.altKey && !e.ctrlKey && !e.metaKey);
}

/** The key for the page; printable keys carry their text, so that they type. */
export function keyInput(kind: "keydown" | "keyup", e: KeyLike, mac = onMac): PaneInput {
  // One code point, also outside of the basic plane.
  const single = Array.from(e.key).length === 1;
  const third = single && isThirdLevel(e, mac);
  const printable = third || (single && !e.ctrlKey && !e.metaKey && !e.altKey);
  return {
    ...emptyInput,
    kind,
    key: e.key,
    code: e.code,
    key_code: e.keyCode,
    text: kind === "keydown" ? (printable ? e.key : e.key === "Enter" ? "\r" : "") : "",
    // Chromium types no plain letter while Alt is held.
    modifiers: third ? modifiers({ ...pressedModifiers, shiftKey: e.shiftKey }) : modifiers(e),
    repeat: e.repeat,
  };
}

export function textInput(text: string): PaneInput {
  return { ...emptyInput, kind: "text", text };
}

/** What an input method has written so far. */
export function composeInput(text: string): PaneInput {
  return { ...emptyInput, kind: "compose", text };
}

/**
 * A key that the page must not be given as such: an input method is composing,
 * or a dead key waits for its letter. Its result comes as text.
 */
export function isComposing(e: { isComposing: boolean; key: string; keyCode: number }): boolean {
  const imeKey = 229;
  return e.isComposing || e.keyCode === imeKey || e.key === "Dead" || e.key === "Process";
}

/** Holds moves and wheel turns back until the next frame, so that one frame sends at most one of each. */
export class Coalescer {
  private move: PaneInput | null = null;
  private wheel: PaneInput | null = null;
  private frame = 0;

  constructor(
    private readonly send: (input: PaneInput) => void,
    // Wrapped: called as methods of this object, the window's own would refuse.
    private readonly schedule: (fn: () => void) => number = (fn) => requestAnimationFrame(fn),
    private readonly cancel: (id: number) => void = (id) => cancelAnimationFrame(id),
  ) {}

  push(input: PaneInput): void {
    if (input.kind === "move") this.move = input;
    else if (input.kind === "wheel") {
      const held = this.wheel;
      this.wheel = held ? { ...input, dx: held.dx + input.dx, dy: held.dy + input.dy } : input;
    } else {
      // What came before a click or a key must arrive before it.
      this.flush();
      this.send(input);
      return;
    }
    if (!this.frame) this.frame = this.schedule(() => this.flush());
  }

  close(): void {
    if (this.frame) this.cancel(this.frame);
    this.frame = 0;
    this.move = this.wheel = null;
  }

  private flush() {
    if (this.frame) this.cancel(this.frame);
    this.frame = 0;
    const { move, wheel } = this;
    this.move = this.wheel = null;
    if (move) this.send(move);
    if (wheel) this.send(wheel);
  }
}
