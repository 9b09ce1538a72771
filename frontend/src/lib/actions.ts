import { keyLabel, matches, type Key, type KeyPress } from "./keys";

/** What a user can do, as data: keyboard, palette, menus and tests share it. */
export interface Action {
  id: string;
  title: string;
  /** Where the palette lists it. */
  group: string;
  keys: readonly Key[];
  /** The letter or arrow after the leader, as it is shown in lower case; `""` for none. */
  leader: string;
  /** Whether it can be done now. */
  enabled: () => boolean;
  run: () => void | Promise<void>;
}

export const leaderKey: Key = "Ctrl+Shift+Space";

/** The action that a press means, if it can be done now. */
export function actionFor(actions: readonly Action[], press: KeyPress): Action | undefined {
  return actions.find((a) => a.keys.some((k) => matches(press, k)) && a.enabled());
}

/** The action of a letter or arrow after the leader. */
export function actionForLeader(actions: readonly Action[], code: string): Action | undefined {
  const letter = keyLabel(code).toLowerCase();
  return actions.find((a) => a.leader !== "" && a.leader === letter && a.enabled());
}
