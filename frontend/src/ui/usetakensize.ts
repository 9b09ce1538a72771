import { useEffect } from "react";
import { isPhone, onTurnedTo } from "@/lib/viewer";

/**
 * Gives a visible pane of the user the size of its space when the user turns to this window, or is in it when the pane
 * appears or its link opens again; but not on a phone.
 */
export function useTakenSize(takes: boolean, take: () => void): void {
  useEffect(() => {
    if (!takes) return;
    const turned = () => {
      if (!isPhone()) take();
    };
    if (document.hasFocus()) turned();
    return onTurnedTo(turned);
  }, [takes, take]);
}
