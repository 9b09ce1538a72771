import { report } from "./report";

/** reportFullscreen reports when an element of the page, or of a frame in it, begins and ends to fill the screen. */
export function reportFullscreen(): void {
  addEventListener("fullscreenchange", () => report({ t: document.fullscreenElement ? "filling" : "framed" }), true);
}
