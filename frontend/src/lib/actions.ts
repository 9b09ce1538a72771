import { keyLabel, matches, type Key, type KeyPress } from "./keys";

/** The user's actions as data, shared by keyboard, palette, menus and tests. */
export interface Action {
  id: string;
  title: string;
  /** The part of the window that it belongs to, which the palette shows beside it. */
  group: string;
  /** Other words that users type for it in the palette. */
  words: readonly string[];
  keys: readonly Key[];
  /** Where its keys count before those of other actions; "" for everywhere. */
  where: "page" | "";
  /** The letter or arrow after the leader, in lower case; `""` for none. */
  leader: string;
  /** Whether it is available now. */
  enabled: () => boolean;
  run: () => void | Promise<void>;
}

/** Returns an action, with defaults for the fields that most actions omit. */
export function action(a: Partial<Action> & Pick<Action, "id" | "title" | "group" | "run">): Action {
  return { words: [], keys: [], where: "", leader: "", enabled: () => true, ...a };
}

export const leaderKey: Key = "Ctrl+Shift+Space";

/** Returns the available action of a key. */
export function actionFor(actions: readonly Action[], press: KeyPress): Action | undefined {
  return actions.find((a) => a.keys.some((k) => matches(press, k)) && a.enabled());
}

/** Returns the action of a letter or arrow after the leader. */
export function actionForLeader(actions: readonly Action[], code: string): Action | undefined {
  const letter = keyLabel(code).toLowerCase();
  return actions.find((a) => a.leader !== "" && a.leader === letter && a.enabled());
}
