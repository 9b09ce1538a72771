import { useSyncExternalStore } from "react";

/** The width of `max-[640px]` in class names. */
export const phoneQuery = "(max-width: 640px)";

function subscribe(changed: () => void): () => void {
  const query = window.matchMedia(phoneQuery);
  query.addEventListener("change", changed);
  return () => query.removeEventListener("change", changed);
}

/** Reports whether the window is as narrow as that of a phone. */
export function usePhone(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(phoneQuery).matches);
}
