import { leaderKey, type Action } from "./actions";
import { keyLabel, type Key, type KeyPress } from "./keys";

/** The user's keys by the id of their command, as the settings have them; an empty list is none. */
export type Bindings = Readonly<Record<string, readonly Key[] | null>>;

/** The user's letters after the leader, as the settings have them; `""` is none. */
export type LeaderBindings = Readonly<Record<string, string>>;

/** Puts the user's keys and letters in place of the defaults. */
export function withKeys(
  actions: readonly Action[],
  bindings: Bindings | null | undefined,
  leaders: LeaderBindings | null | undefined,
): readonly Action[] {
  if (!bindings && !leaders) return actions;
  return actions.map((a) => ({
    ...a,
    keys: bindings && a.id in bindings ? (bindings[a.id] ?? []) : a.keys,
    leader: leaders?.[a.id] ?? a.leader,
  }));
}

/** The label of a command's key: the user's, or else the default. "" if the user took it away. */
export function boundLabel(bindings: Bindings | null | undefined, id: string, otherwise: string): string {
  return bindings && id in bindings ? keyLabel(bindings[id]?.[0] ?? "") : otherwise;
}

/** Returns the pressed key as data. */
export function keyOf(press: KeyPress): Key {
  const held = [press.ctrlKey || press.metaKey ? "Ctrl" : "", press.altKey ? "Alt" : "", press.shiftKey ? "Shift" : ""];
  // The order of the modifiers does not matter to `matches`; here it is that of the defaults.
  return [...held.filter(Boolean), press.code].join("+");
}

const isFunctionKey = (code: string) => /^F([1-9]|1[0-2])$/.test(code);

/** Why a key cannot be a shortcut, "" if it can. */
export function refusedKey(key: Key): string {
  const parts = key.split("+");
  const code = parts.at(-1) ?? "";
  const [ctrl, shift, alt] = ["Ctrl", "Shift", "Alt"].map((m) => parts.includes(m));
  if (key === leaderKey) return `${keyLabel(key)} begins the second way of every command.`;
  if (!/^[A-Z][A-Za-z0-9]*$/.test(code)) return "This key has no name that works on every keyboard.";
  if (!ctrl && !alt && !isFunctionKey(code)) return "Without Ctrl or Alt, the key is text for terminals and pages.";
  if (ctrl && !alt && !shift && /^(Key[A-Z]|Bracket\w+|Backslash|Space)$/.test(code))
    return `Shells and programs in terminals need ${keyLabel(key)}.`;
  if (ctrl && shift && !alt && (code === "KeyC" || code === "KeyV"))
    return `${keyLabel(key)} copies or pastes in terminals.`;
  return "";
}

const keptByBrowsers = /^Ctrl\+(Shift\+)?(KeyN|KeyT|KeyW|Tab|PageUp|PageDown)$|^Ctrl\+Shift\+(KeyP|KeyB|KeyI)$/;

/** What the user should know about a key that can be a shortcut, "" for nothing. */
export function keyWarning(key: Key, isDesktop: boolean): string {
  if (!isDesktop && keptByBrowsers.test(key))
    return "A browser may keep it for itself; the second way works everywhere.";
  if (/^Alt\+(Key|Digit)/.test(key)) return "Programs in terminals no longer receive it.";
  if (isFunctionKey(key)) return "Programs in terminals no longer receive it.";
  return "";
}

/** The other commands with a key. Those that count only in a page may share it. */
export function conflicts(actions: readonly Action[], of: Action, key: Key): Action[] {
  return actions.filter((a) => a.id !== of.id && a.where === of.where && a.keys.some((k) => sameKey(k, key)));
}

/** Reports whether two keys are the same, in whatever order their modifiers are written. */
export const sameKey = (a: Key, b: Key): boolean => a.split("+").sort().join() === b.split("+").sort().join();

/** What a pressed key is after the leader: a letter, digit or arrow in lower case; `""` if it cannot be one. */
export function leaderOf(press: KeyPress): string {
  const letter = keyLabel(press.code).toLowerCase();
  return /^[a-z0-9←→↑↓]$/.test(letter) && !press.ctrlKey && !press.altKey && !press.metaKey ? letter : "";
}

/** The other commands with a letter after the leader. */
export const leaderConflicts = (actions: readonly Action[], of: Action, letter: string): Action[] =>
  actions.filter((a) => a.id !== of.id && a.leader === letter);
