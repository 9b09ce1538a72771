import { useCallback, useSyncExternalStore } from "react";

/** The width of `max-[640px]` in class names. */
export const phoneQuery = "(max-width: 640px)";

/** Reports whether a media query matches, and follows it. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** Reports whether the window is as narrow as that of a phone. */
export function usePhone(): boolean {
  return useMedia(phoneQuery);
}
