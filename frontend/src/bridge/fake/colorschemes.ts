import type { ColorScheme, TerminalProfile } from "@/bridge/types";

const scheme = (name: string, screen: string, colors: string, imported = false): ColorScheme => {
  const [background = "", foreground = "", cursor = "", selection = ""] = screen.split(" ");
  return { name, background, foreground, cursor, selection, colors: colors.split(" "), imported };
};

export const importedScheme = scheme(
  "Evening shift",
  "#1d2021 #d5c4a1 #d5c4a1 #504945",
  "#1d2021 #fb4934 #b8bb26 #fabd2f #83a598 #d3869b #8ec07c #d5c4a1 #665c54 #fb4934 #b8bb26 #fabd2f #83a598 #d3869b #8ec07c #fbf1c7",
  true,
);

/** A few of the schemes that the program has, and one that the user imported. */
export const colorSchemes: ColorScheme[] = [
  scheme(
    "Nord",
    "#2e3440 #d8dee9 #d8dee9 #434c5e",
    "#3b4252 #bf616a #a3be8c #ebcb8b #81a1c1 #b48ead #88c0d0 #e5e9f0 #4c566a #bf616a #a3be8c #ebcb8b #81a1c1 #b48ead #8fbcbb #eceff4",
  ),
  scheme(
    "Solarized Light",
    "#fdf6e3 #657b83 #657b83 #eee8d5",
    "#073642 #dc322f #859900 #b58900 #268bd2 #d33682 #2aa198 #eee8d5 #002b36 #cb4b16 #586e75 #657b83 #839496 #6c71c4 #93a1a1 #fdf6e3",
  ),
  importedScheme,
];

export const terminalProfiles: TerminalProfile[] = [
  { name: "Agent", command: "claude --continue", dir: "", env: ["MAX_TURNS=40"], color_scheme: "", default: true },
  { name: "Shop", command: "", dir: "~/src/shop", env: [], color_scheme: "Nord", default: false },
];
