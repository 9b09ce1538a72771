import type { ITheme } from "@xterm/xterm";

const dark = ["#434c5c", "#f0716c", "#45c08a", "#e2b04f", "#7aa2ff", "#b78bff", "#4fc3d9", "#c9d0dc"];
const darkBright = ["#808b9c", "#ff938f", "#6fdcab", "#f4cb7a", "#a3beff", "#d0b2ff", "#7fdcec", "#ffffff"];
const light = ["#171b22", "#b8302c", "#14794e", "#8a5a00", "#2f5fe0", "#6d3fc4", "#0f7285", "#5b6472"];
const lightBright = ["#4d5766", "#d64540", "#1c935f", "#a66d00", "#4a76ee", "#8456d8", "#178da3", "#171b22"];

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

const builtIn = '"JetBrains Mono", ui-monospace, monospace';

/** The user's font, or the built-in one for `""`, as a CSS value. */
export const fonts = (own: string) => (own ? `${own}, ${builtIn}` : builtIn);

/** Returns the terminal's colours for the page's theme, read from its tokens. */
export function terminalTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  const isLight = document.documentElement.dataset.theme === "light";
  const theme: ITheme = {
    background: token("--surface"),
    foreground: token("--text"),
    cursor: token("--text"),
    cursorAccent: token("--surface"),
    selectionBackground: isLight ? "#2f5fe033" : "#7aa2ff44",
    scrollbarSliderBackground: isLight ? "#171b2222" : "#e7eaf01f",
    scrollbarSliderHoverBackground: isLight ? "#171b2244" : "#e7eaf038",
  };
  names.forEach((name, i) => {
    const bright = `bright${name[0]?.toUpperCase() ?? ""}${name.slice(1)}` as "brightBlack";
    theme[name] = (isLight ? light : dark)[i] ?? "";
    theme[bright] = (isLight ? lightBright : darkBright)[i] ?? "";
  });
  return theme;
}
