/** The parts of a keyboard event that matching needs. */
export interface KeyPress {
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  altKey: boolean;
}

/**
 * A key as data, such as `Ctrl+Shift+KeyG`: modifiers and the physical key's
 * `code`, because WebKitGTK gives no usable `key` for Shift+Tab and friends.
 */
export type Key = string;

interface Parsed {
  code: string;
  ctrl: boolean;
  shift: boolean;
  alt: boolean;
}

function parse(key: Key): Parsed {
  const parts = key.split("+");
  return {
    code: parts[parts.length - 1] ?? "",
    ctrl: parts.includes("Ctrl"),
    shift: parts.includes("Shift"),
    alt: parts.includes("Alt"),
  };
}

/** Reports whether a key was pressed. Cmd counts as Ctrl, but both together do not. */
export function matches(press: KeyPress, key: Key): boolean {
  const want = parse(key);
  if (press.code !== want.code) return false;
  if (press.ctrlKey && press.metaKey) return false;
  return (press.ctrlKey || press.metaKey) === want.ctrl && press.shiftKey === want.shift && press.altKey === want.alt;
}

/** Formats the key for users: `Ctrl+Shift+G`. */
export function keyLabel(key: Key): string {
  return key.split("+").map(cap).join("+");
}

/** Formats the key in little space: `Ctrl⇧G`. */
export function keyShort(key: Key): string {
  return keyLabel(key).replace("Shift+", "⇧").replace("Ctrl+", "Ctrl").replace("Alt+", "Alt");
}

function cap(part: string): string {
  const names: Record<string, string> = {
    ArrowLeft: "←",
    ArrowRight: "→",
    ArrowUp: "↑",
    ArrowDown: "↓",
    Escape: "Esc",
    Slash: "/",
  };
  return names[part] ?? part.replace(/^Key|^Digit/, "");
}

/** Ctrl+. and Ctrl+; open GTK's emoji chooser, which takes the focus away, unless they are prevented. */
export function opensEmojiChooser(press: KeyPress): boolean {
  return press.ctrlKey && !press.altKey && (press.code === "Period" || press.code === "Semicolon");
}
