import { useLayoutEffect, useRef } from "react";

const openDialogs: { close: () => void }[] = [];

/**
 * Closes the newest dialog. Without it, Radix would close the dialog below until the newest one has rendered twice,
 * and a visible tooltip would consume the key. It reports whether a dialog is open.
 */
export function closeNewestDialog(event: KeyboardEvent): boolean {
  const newest = openDialogs.at(-1);
  if (!newest) return false;
  event.preventDefault();
  newest.close();
  return true;
}

/** Reports whether a dialog is open: its keys are not those of the page below. */
export const hasOpenDialog = (): boolean => openDialogs.length > 0;

/** Records the order in which dialogs were opened. It is rendered inside each dialog. */
export function OpenDialog({ close }: { close: () => void }) {
  const latest = useRef(close);
  useLayoutEffect(() => {
    latest.current = close;
  });
  useLayoutEffect(() => {
    const dialog = { close: () => latest.current() };
    openDialogs.push(dialog);
    return () => void openDialogs.splice(openDialogs.indexOf(dialog), 1);
  }, []);
  return null;
}
