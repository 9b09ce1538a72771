import { useEffect } from "react";
import { useAppState } from "@/store/context";

const key = "goalpost.theme";
const light = "(prefers-color-scheme: light)";

function apply(theme: string) {
  const system = matchMedia(light).matches ? "light" : "dark";
  document.documentElement.dataset.theme = theme === "dark" || theme === "light" ? theme : system;
}

/** The theme of last time, before the settings are there, so that nothing flashes. */
export function earlyTheme(): void {
  let theme = "system";
  try {
    theme = localStorage.getItem(key) ?? theme;
  } catch {
    // Without storage the system's theme is the best guess.
  }
  apply(theme);
}

/** Keeps the page's theme as the settings say, also when the system's changes. */
export function useTheme(): void {
  const theme = useAppState((s) => s.settings?.theme);
  useEffect(() => {
    if (!theme) return;
    apply(theme);
    try {
      localStorage.setItem(key, theme);
    } catch {
      // It is only for the next start's first frame.
    }
    const query = matchMedia(light);
    const follow = () => apply(theme);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, [theme]);
}
