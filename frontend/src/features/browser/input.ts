import type { PaneInput } from "@/bridge/types";

interface Modifiers {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}

const pressedModifiers: Modifiers = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };

/** The protocol's modifier mask: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift. */
export function modifiers(e: Modifiers): number {
  return (e.altKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.metaKey ? 4 : 0) | (e.shiftKey ? 8 : 0);
}

/** Returns the letter of a key in the user's layout, or in the US layout if that is not Latin. */
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

/** Converts a point of the window to CSS pixels of the page whose picture is in `box`. */
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

/** Returns the wheel distance in pixels, whatever the unit of the event. */
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

/** Reports whether AltGr, or Option on a Mac, made the character: then it is text and not a shortcut. */
export function isThirdLevel(e: KeyLike, mac = onMac): boolean {
  return e.getModifierState?.("AltGraph") === true || (mac && e.altKey && !e.ctrlKey && !e.metaKey);
}

/** Converts a key for the page. Printable keys carry their text, so that they type it. */
export function keyInput(kind: "keydown" | "keyup", e: KeyLike, mac = onMac): PaneInput {
  // One code point, also outside the basic plane.
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
    // Chromium types no letter while Alt is held.
    modifiers: third ? modifiers({ ...pressedModifiers, shiftKey: e.shiftKey }) : modifiers(e),
    repeat: e.repeat,
  };
}

export function textInput(text: string): PaneInput {
  return { ...emptyInput, kind: "text", text };
}

/** The current text of an input method. */
export function composeInput(text: string): PaneInput {
  return { ...emptyInput, kind: "compose", text };
}

/**
 * Reports whether a key must not be sent to the page: an input method is composing,
 * or a dead key waits for its letter. The result is sent as text.
 */
export function isComposing(e: { isComposing: boolean; key: string; keyCode: number }): boolean {
  const imeKey = 229;
  return e.isComposing || e.keyCode === imeKey || e.key === "Dead" || e.key === "Process";
}

/** Delays mouse moves and wheel events until the next frame, so that each frame sends at most one of each. */
export class Coalescer {
  private move: PaneInput | null = null;
  private wheel: PaneInput | null = null;
  private frame = 0;

  constructor(
    private readonly send: (input: PaneInput) => void,
    // Wrapped, because the window's functions fail when called as methods of this object.
    private readonly schedule: (fn: () => void) => number = (fn) => requestAnimationFrame(fn),
    private readonly cancel: (id: number) => void = (id) => cancelAnimationFrame(id),
  ) {}

  push(input: PaneInput): void {
    if (input.kind === "move") this.move = input;
    else if (input.kind === "wheel") {
      const held = this.wheel;
      this.wheel = held ? { ...input, dx: held.dx + input.dx, dy: held.dy + input.dy } : input;
    } else {
      // Events before a click or a key must arrive before it.
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
