import { useEffect, useState } from "react";

/** Calls `again` when the window has come to a screen with other pixels, or was zoomed. */
export function usePixelRatio(again: () => void): void {
  useEffect(() => {
    let media: MediaQueryList | null = null;
    const watch = () => {
      media?.removeEventListener("change", changed);
      media = window.matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
      media.addEventListener("change", changed);
    };
    const changed = () => {
      again();
      watch();
    };
    watch();
    return () => media?.removeEventListener("change", changed);
  }, [again]);
}

/** Whether the window or the tab in which the app is can be seen at all. */
export function useIsVisible(): boolean {
  const [shown, setShown] = useState(() => !document.hidden);
  useEffect(() => {
    const look = () => setShown(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return shown;
}
