import { useSyncExternalStore } from "react";

function watchTheme(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** The theme that the page has now, `dark` or `light`: for what draws with colors of its own, such as a canvas. */
export function usePageTheme(): string {
  return useSyncExternalStore(watchTheme, () => document.documentElement.dataset.theme ?? "");
}
