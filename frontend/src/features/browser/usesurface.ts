import { useCallback, useEffect, useRef, useState, type RefObject } from "react";
import { writeClipboard } from "@/bridge/clipboard";
import type { PaneInfo, PaneOverlay } from "@/bridge/types";
import { useApp } from "@/store/context";
import { useIsVisible, usePixelRatio } from "./pixelratio";
import { Surface } from "./surface";

export interface Size {
  width: number;
  height: number;
}

const emptyOverlay: PaneOverlay = {
  cursor: "default",
  zoom: 100,
  fullscreen: false,
  questions: [],
  downloads: [],
  copied: { n: -1, text: "" },
};

/** The page, streamed from Go onto a canvas. */
export interface PageSurface {
  surface: Surface | null;
  /** The size of the picture; null before the first one. */
  page: Size | null;
  link: "open" | "down";
  overlay: PaneOverlay;
  /** Whether Go has sent the overlay of the page. */
  known: boolean;
}

export function useSurface(pane: PaneInfo, canvas: RefObject<HTMLCanvasElement | null>): PageSurface {
  const app = useApp();
  const [surface, setSurface] = useState<Surface | null>(null);
  const [page, setPage] = useState<Size | null>(null);
  const [link, setLink] = useState<"open" | "down">("open");
  const [overlay, setOverlay] = useState<PaneOverlay>(emptyOverlay);
  useEffect(() => {
    const el = canvas.current;
    if (!el) return;
    const s = new Surface(app.bridge, pane.id, el, {
      info: (info) => app.panes.update(info),
      overlay: setOverlay,
      problem: (text) => app.notices.problem({ code: "unavailable", message: text, hint: "", field: "" }),
      link: setLink,
      size: (width, height) => setPage({ width, height }),
    });
    setSurface(s);
    return () => s.close();
  }, [app, pane.id, canvas]);
  return { surface, page, link, overlay, known: overlay !== emptyOverlay };
}

/** Reports the available space to the surface, and returns it. */
export function useSurfaceSize(surface: Surface | null, area: RefObject<HTMLDivElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const el = area.current;
    if (!el || !surface) return;
    const watch = new ResizeObserver(() => {
      setSize({ width: el.clientWidth, height: el.clientHeight });
      surface.size(el.clientWidth, el.clientHeight);
    });
    watch.observe(el);
    return () => watch.disconnect();
  }, [surface, area]);
  usePixelRatio(
    useCallback(() => {
      const el = area.current;
      if (el) surface?.size(el.clientWidth, el.clientHeight);
    }, [surface, area]),
  );
  return size;
}

/** Reports to the surface whether the page runs, is visible and has the focus. */
export function useSurfaceState(surface: Surface | null, running: boolean, visible: boolean, active: boolean): void {
  const windowVisible = useIsVisible();
  useEffect(() => {
    if (!running) surface?.forget();
  }, [surface, running]);
  useEffect(() => {
    surface?.visible(visible && windowVisible);
  }, [surface, visible, windowVisible]);
  useEffect(() => {
    surface?.focus(active);
  }, [surface, active]);
}

/** Copies what the user copies inside the page to their clipboard. */
export function useCopied(overlay: PaneOverlay, keys: RefObject<HTMLTextAreaElement | null>) {
  const { n, text } = overlay.copied;
  const reported = useRef(n);
  useEffect(() => {
    if (n === reported.current) return;
    const first = reported.current < 0;
    reported.current = n;
    // Only in the viewer in which the user copied, and only what was copied since this viewer was opened.
    if (!first && document.activeElement === keys.current) void writeClipboard(text);
  }, [n, text, keys]);
}

/** Calls back when a counter grows; -1 means that it is not known yet. */
export function useFocusOnOpen(count: number, arrived: () => void) {
  const last = useRef(count);
  const call = useRef(arrived);
  useEffect(() => {
    call.current = arrived;
  });
  useEffect(() => {
    if (last.current >= 0 && count > last.current) call.current();
    last.current = count;
  }, [count]);
}
