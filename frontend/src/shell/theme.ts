import { useEffect } from "react";
import { useAppState } from "@/store/context";

const key = "goalpost.theme";
const light = "(prefers-color-scheme: light)";

function apply(theme: string) {
  const system = matchMedia(light).matches ? "light" : "dark";
  document.documentElement.dataset.theme = theme === "dark" || theme === "light" ? theme : system;
}

/** The last theme, used until the settings have loaded, so that the window does not flash. */
export function earlyTheme(): void {
  let theme = "system";
  try {
    theme = localStorage.getItem(key) ?? theme;
  } catch {
    // Without storage, the system's theme is the best guess.
  }
  apply(theme);
}

/** Applies the theme of the settings, and follows the system's theme if that is the setting. */
export function useTheme(): void {
  const theme = useAppState((s) => s.settings?.theme);
  useEffect(() => {
    if (!theme) return;
    apply(theme);
    try {
      localStorage.setItem(key, theme);
    } catch {
      // Only the first frame of the next start needs it.
    }
    const query = matchMedia(light);
    const follow = () => apply(theme);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, [theme]);
}
