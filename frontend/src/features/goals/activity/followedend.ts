import { useEffect, type RefObject } from "react";

/** Keeps the newest row in sight when a list that is followed becomes lower, as when a request appears above it. */
export function useFollowedEnd(scroller: RefObject<HTMLElement | null>, follow: boolean): void {
  useEffect(() => {
    const el = scroller.current;
    if (!el || !follow) return;
    const watch = new ResizeObserver(() => (el.scrollTop = el.scrollHeight));
    watch.observe(el);
    return () => watch.disconnect();
  }, [scroller, follow]);
}
