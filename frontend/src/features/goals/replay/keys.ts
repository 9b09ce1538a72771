import { useEffect, type RefObject } from "react";
import type { Player } from "./player";

const jump = 5_000;

/** Elements that handle these keys themselves. */
function takes(target: EventTarget | null, code: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement && target.type === "range") return code === "Space";
  if (/^(TEXTAREA|SELECT|INPUT)$/.test(target.tagName)) return true;
  return code === "Space" && target.closest("button,a") !== null;
}

/**
 * The player's keys: space, arrows, Shift+arrows for steps, Home, End. They work anywhere in the dashboard, and in an
 * exported file, which scrolls, inside `place`.
 */
export function usePlayerKeys(
  player: Player,
  toStep: (by: -1 | 1) => void,
  length: number,
  place: RefObject<HTMLElement | null> | null,
): void {
  useEffect(() => {
    const press = (e: KeyboardEvent) => {
      if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || takes(e.target, e.code)) return;
      if (document.querySelector("[role=dialog],[role=menu]")) return;
      if (place && !place.current?.contains(e.target as Node)) return;
      if (!run(e)) return;
      e.preventDefault();
    };
    const run = (e: KeyboardEvent): boolean => {
      switch (e.code) {
        case "Space":
          player.toggle();
          return true;
        case "ArrowLeft":
        case "ArrowRight": {
          const by = e.code === "ArrowLeft" ? -1 : 1;
          if (e.shiftKey) toStep(by);
          else player.by(by * jump);
          return true;
        }
        case "Home":
          player.seek(0);
          return true;
        case "End":
          player.seek(length);
          return true;
        default:
          return false;
      }
    };
    // Handled before the slider, whose own arrow keys would move it by a thousandth.
    window.addEventListener("keydown", press, { capture: true });
    return () => window.removeEventListener("keydown", press, { capture: true });
  }, [player, toStep, length, place]);
}
