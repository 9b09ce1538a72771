import { useEffect, useState, type KeyboardEvent, type RefObject } from "react";
import { useApp, useAppState } from "@/store/context";
import { Kbd } from "@/ui/button";

/** A new card ignores clicks for this long: the click may have been meant for the element that was there before. */
const guardMs = 500;

/** In a narrow window, buttons are as wide as the card and tall enough for a finger. */
export const touch = "max-[640px]:h-11 max-[640px]:w-full max-[640px]:justify-center";
export const halfTouch = "max-[640px]:h-11 max-[640px]:flex-1 max-[640px]:justify-center";

/** Reports whether the card has just appeared and ignores clicks and keys. */
export function useGuard(): boolean {
  const [guarded, setGuarded] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setGuarded(false), guardMs);
    return () => clearTimeout(timer);
  }, []);
  return guarded;
}

/** Focuses the card when its key is pressed, but never because it appears. */
export function useFocusOnDemand(card: RefObject<HTMLElement | null>, request: string) {
  const app = useApp();
  const wanted = useAppState((s) => s.requestWanted);
  useEffect(() => {
    if (wanted === "" || wanted !== request || !card.current) return;
    card.current.focus();
    app.set({ requestWanted: "" });
  }, [app, card, request, wanted]);
}

/** Runs one of three actions with the keys 1, 2 and 3, which work while the card has the focus. */
export function pressDigit(e: KeyboardEvent, actions: readonly ((() => void) | false | undefined)[]) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target instanceof HTMLInputElement) return;
  const run = actions[["Digit1", "Digit2", "Digit3"].indexOf(e.code)];
  if (!run) return;
  e.preventDefault();
  e.stopPropagation();
  run();
}

/** The key of a button, on devices with a keyboard. */
export function Key({ of, onAccent = false }: { of: string; onAccent?: boolean }) {
  return (
    <Kbd onAccent={onAccent} className="max-[640px]:hidden">
      {of}
    </Kbd>
  );
}
