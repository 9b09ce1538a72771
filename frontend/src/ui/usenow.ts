import { useSyncExternalStore } from "react";

interface Ticker {
  subscribe: (fn: () => void) => () => void;
  read: () => number;
}

/** One timer for everything that shows a running time. It stops while nothing is shown. */
function createTicker(everyMs: number): Ticker {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  return {
    subscribe: (fn) => {
      listeners.add(fn);
      timer ??= setInterval(() => {
        for (const l of listeners) l();
      }, everyMs);
      return () => {
        listeners.delete(fn);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    // Whole seconds: React reads the value twice and expects the same answer.
    read: () => Math.floor(Date.now() / everyMs) * everyMs,
  };
}

const seconds = createTicker(1_000);
const idle: Ticker = { subscribe: () => () => undefined, read: () => 0 };

/** The current time in ms, updated once a second while `live`; 0 otherwise. */
export function useNow(live: boolean): number {
  const b = live ? seconds : idle;
  return useSyncExternalStore(b.subscribe, b.read);
}
