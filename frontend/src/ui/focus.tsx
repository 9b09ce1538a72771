import { useEffect, useState } from "react";

/**
 * Restores the focus to the element that had it, when the dialog that contains this closes. Radix restores it to
 * a trigger only, and our dialogs are opened by state.
 */
export function ReturnFocus() {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // An element that took the focus in the meantime keeps it.
      if (before instanceof HTMLElement && before.isConnected && document.activeElement === document.body)
        before.focus();
    },
    [before],
  );
  return null;
}
