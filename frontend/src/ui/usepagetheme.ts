import { useSyncExternalStore } from "react";

function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** Returns the page's current theme, `dark` or `light`, for code that draws with its own colors, such as a canvas. */
export function usePageTheme(): string {
  return useSyncExternalStore(watchTheme, () => document.documentElement.dataset.theme ?? "");
}
