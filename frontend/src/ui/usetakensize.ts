import { useEffect } from "react";
import { isActedIn, isPhone, onTurnedTo } from "@/lib/viewer";

/** Takes the size of a visible pane of the user when the user turns to this window, but not on a phone. */
export function useTakenSize(takes: boolean, take: () => void): void {
  useEffect(() => {
    if (!takes) return;
    const turned = () => {
      if (!isPhone()) take();
    };
    if (isActedIn()) turned();
    return onTurnedTo(turned);
  }, [takes, take]);
}
