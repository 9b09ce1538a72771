import { useEffect, useState } from "react";

/**
 * Gives the focus back, as what it is in goes, to what had it before. It stands inside of a dialog:
 * Radix gives it back to a trigger only, and a dialog of ours is opened by a state.
 */
export function ReturnFocus() {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Who has taken the focus keeps it.
      if (before instanceof HTMLElement && before.isConnected && document.activeElement === document.body)
        before.focus();
    },
    [before],
  );
  return null;
}
