import type { PaneInfo } from "@/bridge/types";
import type { App } from "@/store/app";
import { letterOf } from "./input";
import { goHome, nextZoom, type Panel } from "./toolbar";

export interface Shortcuts {
  address: () => void;
  panel: (panel: Panel) => void;
  /** Closes what opened over the page without being asked for; null without it. */
  close: (() => void) | null;
}

interface KeyLike {
  code: string;
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

const isPlainEscape = (e: KeyLike) => e.code === "Escape" && !e.ctrlKey && !e.metaKey && !e.altKey && !e.shiftKey;

/** Keys that a browser's window handles and headless Chromium does not; null for the page's own keys. */
export function shortcutOf(e: KeyLike, app: App, pane: PaneInfo, zoom: number, on: Shortcuts): (() => void) | null {
  if (pane.inspects) return null; // developer tools have keys of their own
  if (isPlainEscape(e) && on.close) return on.close;
  if (isPlainEscape(e) && pane.loading) return () => void app.ask("BrowserAPI.Stop", pane.id);
  if (e.code === "F12" || (e.code === "KeyI" && (e.ctrlKey || e.metaKey) && e.shiftKey && !e.altKey))
    return () => void app.panes.openDevTools(pane.id);
  const ctrl = (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
  const zoomTo = (percent: number) => () => void app.ask("BrowserAPI.Zoom", pane.id, percent);
  const letter = ctrl ? letterOf(e) : "";
  const alt = e.altKey && !e.ctrlKey && !e.metaKey && !e.shiftKey;
  if (alt && e.code === "ArrowLeft" && pane.can_back) return () => void app.ask("BrowserAPI.Back", pane.id);
  if (alt && e.code === "ArrowRight" && pane.can_forward) return () => void app.ask("BrowserAPI.Forward", pane.id);
  if (alt && e.code === "Home") return () => goHome(app, pane);
  if (letter === "l") return on.address;
  if (letter === "f") return () => on.panel("find");
  if (letter === "p") return () => void app.ask("BrowserAPI.Print", pane.id);
  if (letter === "r" || (e.code === "F5" && !e.altKey)) return () => void app.ask("BrowserAPI.Reload", pane.id);
  if (ctrl && (e.code === "Digit0" || e.code === "Numpad0")) return zoomTo(100);
  if (ctrl && (e.code === "Minus" || e.code === "NumpadSubtract")) return zoomTo(nextZoom(zoom, -1));
  if ((e.ctrlKey || e.metaKey) && !e.altKey && (e.code === "Equal" || e.code === "NumpadAdd"))
    return zoomTo(nextZoom(zoom, 1));
  return null;
}
