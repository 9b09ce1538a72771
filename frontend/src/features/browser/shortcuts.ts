import type { PaneInfo } from "@/bridge/types";
import type { App } from "@/store/app";
import { nextZoom, type Panel } from "./toolbar";

export interface Shortcuts {
  address: () => void;
  panel: (panel: Panel) => void;
}

interface KeyLike {
  code: string;
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** The keys that a browser has and Chromium without a window has not; null for the page's own. */
export function shortcutOf(e: KeyLike, app: App, pane: PaneInfo, zoom: number, on: Shortcuts): (() => void) | null {
  const ctrl = (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
  const zoomTo = (percent: number) => () => void app.ask("BrowserAPI.Zoom", pane.id, percent);
  if (ctrl && e.code === "KeyL") return on.address;
  if (ctrl && e.code === "KeyF") return () => on.panel("find");
  if (ctrl && e.code === "KeyP") return () => void app.ask("BrowserAPI.Print", pane.id);
  if ((ctrl && e.code === "KeyR") || (e.code === "F5" && !e.altKey))
    return () => void app.ask("BrowserAPI.Reload", pane.id);
  if (ctrl && (e.code === "Digit0" || e.code === "Numpad0")) return zoomTo(100);
  if (ctrl && (e.code === "Minus" || e.code === "NumpadSubtract")) return zoomTo(nextZoom(zoom, -1));
  if ((e.ctrlKey || e.metaKey) && !e.altKey && (e.code === "Equal" || e.code === "NumpadAdd"))
    return zoomTo(nextZoom(zoom, 1));
  return null;
}
