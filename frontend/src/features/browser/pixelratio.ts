import { useEffect, useState } from "react";

/** Calls `again` when the window moves to a screen with another pixel ratio, or is zoomed. */
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

/** Whether the window or tab of the app is visible. */
export function useIsVisible(): boolean {
  const [shown, setShown] = useState(() => !document.hidden);
  useEffect(() => {
    const look = () => setShown(!document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return shown;
}
