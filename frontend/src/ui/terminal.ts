import type { ITheme } from "@xterm/xterm";

const dark = ["#434c5c", "#f0716c", "#45c08a", "#e2b04f", "#7aa2ff", "#b78bff", "#4fc3d9", "#c9d0dc"];
const darkBright = ["#808b9c", "#ff938f", "#6fdcab", "#f4cb7a", "#a3beff", "#d0b2ff", "#7fdcec", "#ffffff"];
const light = ["#171b22", "#b8302c", "#14794e", "#8a5a00", "#2f5fe0", "#6d3fc4", "#0f7285", "#5b6472"];
const lightBright = ["#4d5766", "#d64540", "#1c935f", "#a66d00", "#4a76ee", "#8456d8", "#178da3", "#171b22"];

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

const builtIn = '"JetBrains Mono", ui-monospace, monospace';

/** A color scheme that the user chose, each color as #rrggbb. */
export interface TerminalColors {
  background: string;
  foreground: string;
  cursor: string;
  selection: string;
  /** The 16 colors that programs choose by number. */
  colors: readonly string[] | null;
}

/** The user's font, or the built-in one for `""`, as a CSS value. */
export const fonts = (own: string) => (own ? `${own}, ${builtIn}` : builtIn);

/** Whether a terminal is light: as its color scheme, otherwise as the page. */
export function isLightTerminal(scheme: TerminalColors | null): boolean {
  if (!scheme) return document.documentElement.dataset.theme === "light";
  const part = (at: number) => Number.parseInt(scheme.background.slice(at, at + 2), 16);
  return 0.299 * part(1) + 0.587 * part(3) + 0.114 * part(5) > 128;
}

/** The least contrast of text. A scheme may have pairs of colors that nobody can read; the page's own ones are readable. */
export const minContrast = (scheme: TerminalColors | null) => (scheme ? 4.5 : 1);

/** Returns the terminal's colors: those of a color scheme, otherwise those of the page's theme. */
export function terminalTheme(scheme: TerminalColors | null = null): ITheme {
  const isLight = isLightTerminal(scheme);
  const theme: ITheme = {
    ...(scheme ? schemeScreen(scheme) : pageScreen(isLight)),
    scrollbarSliderBackground: isLight ? "#171b2222" : "#e7eaf01f",
    scrollbarSliderHoverBackground: isLight ? "#171b2244" : "#e7eaf038",
  };
  const colors = scheme?.colors ?? (isLight ? [...light, ...lightBright] : [...dark, ...darkBright]);
  names.forEach((name, i) => {
    const bright = `bright${name[0]?.toUpperCase() ?? ""}${name.slice(1)}` as "brightBlack";
    theme[name] = colors[i] ?? "";
    theme[bright] = colors[i + names.length] ?? "";
  });
  return theme;
}

const schemeScreen = (scheme: TerminalColors): ITheme => ({
  background: scheme.background,
  foreground: scheme.foreground,
  cursor: scheme.cursor,
  cursorAccent: scheme.background,
  selectionBackground: scheme.selection,
});

/** The colors that the page's tokens say. */
function pageScreen(isLight: boolean): ITheme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(name).trim();
  return {
    background: token("--surface"),
    foreground: token("--text"),
    cursor: token("--text"),
    cursorAccent: token("--surface"),
    selectionBackground: isLight ? "#2f5fe033" : "#7aa2ff44",
  };
}
