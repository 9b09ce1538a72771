import { useEffect } from "react";
import { actionFor, actionForLeader, leaderKey, type Action } from "@/lib/actions";
import { matches, opensEmojiChooser } from "@/lib/keys";
import type { App } from "@/store/app";

/** Long enough to read the list of second keys. */
const leaderMs = 10_000;

/** Modifier keys alone do not end the leader. */
const modifier = /^(Shift|Control|Alt|Meta)(Left|Right)$/;

/**
 * The app's keys, handled in the capture phase, so that they work with the focus
 * in a terminal or a page. A handled key goes no further; all
 * others, especially those that shells use, pass unchanged.
 */
export function listenForShortcuts(target: Window, app: App, actions: readonly Action[]): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leader = (on: boolean) => {
    clearTimeout(timer);
    if (on) timer = setTimeout(() => leader(false), leaderMs);
    if (app.state.leader !== on) app.set({ leader: on });
  };
  const take = (e: KeyboardEvent) => {
    e.preventDefault();
    e.stopImmediatePropagation();
  };
  const press = (e: KeyboardEvent) => {
    if (opensEmojiChooser(e)) e.preventDefault();
    if (app.state.recordsKey || e.isComposing || modifier.test(e.code)) return;
    if (app.state.leader) {
      take(e);
      // Some actions exist only after the leader, which ends once the action is known.
      const action = e.code === "Escape" ? undefined : actionForLeader(actions, e.code);
      leader(false);
      void action?.run();
      return;
    }
    if (matches(e, leaderKey)) {
      take(e);
      leader(true);
      return;
    }
    const action = actionFor(actions, e);
    if (!action) return;
    take(e);
    if (!e.repeat) void action.run();
  };
  target.addEventListener("keydown", press, true);
  return () => {
    clearTimeout(timer);
    target.removeEventListener("keydown", press, true);
  };
}

export function useKeyboard(app: App, actions: readonly Action[]): void {
  useEffect(() => listenForShortcuts(window, app, actions), [app, actions]);
}
