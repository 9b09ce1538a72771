/**
 * This window as one of several viewers of the same panes. The viewer that the user turned to last sets the size of the
 * user's panes. A phone does so only when the user asks for it: otherwise it scales what it shows.
 */

export function isPhone(): boolean {
  return window.matchMedia("(max-width: 640px)").matches;
}

/** Input reports at most this often that the user acts here. */
const pauseMs = 2_000;

const listeners = new Set<() => void>();
let lastReport = -Infinity;

function report(): void {
  lastReport = performance.now();
  for (const listener of listeners) listener();
}

function input(): void {
  if (performance.now() - lastReport >= pauseMs) report();
}

/** Calls back when the user turns to this window. The returned function stops it. */
export function onTurnedTo(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener("focus", report);
    window.addEventListener("pointerdown", input, true);
    window.addEventListener("keydown", input, true);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener("focus", report);
    window.removeEventListener("pointerdown", input, true);
    window.removeEventListener("keydown", input, true);
  };
}
