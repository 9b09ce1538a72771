package config

import "strings"

// builtInSchemes returns the color schemes that need no file, the dark ones first. Their colors are those that the
// authors publish; docs/licences.md names them.
func builtInSchemes() []ColorScheme {
	scheme := func(name, screen, normal, bright string) ColorScheme {
		s := strings.Fields(screen)
		return ColorScheme{
			Name: name, Background: s[0], Foreground: s[1], Cursor: s[2], Selection: s[3],
			Colors: append(strings.Fields(normal), strings.Fields(bright)...),
		}
	}
	return []ColorScheme{
		scheme("Catppuccin Mocha", "#1e1e2e #cdd6f4 #f5e0dc #585b70",
			"#45475a #f38ba8 #a6e3a1 #f9e2af #89b4fa #f5c2e7 #94e2d5 #a6adc8",
			"#585b70 #f37799 #89d88b #ebd391 #74a8fc #f2aede #6bd7ca #bac2de"),
		scheme("Dracula", "#282a36 #f8f8f2 #f8f8f2 #44475a",
			"#21222c #ff5555 #50fa7b #f1fa8c #bd93f9 #ff79c6 #8be9fd #f8f8f2",
			"#6272a4 #ff6e6e #69ff94 #ffffa5 #d6acff #ff92df #a4ffff #ffffff"),
		scheme("Gruvbox Dark", "#282828 #ebdbb2 #ebdbb2 #504945",
			"#282828 #cc241d #98971a #d79921 #458588 #b16286 #689d6a #a89984",
			"#928374 #fb4934 #b8bb26 #fabd2f #83a598 #d3869b #8ec07c #ebdbb2"),
		scheme("Nord", "#2e3440 #d8dee9 #d8dee9 #434c5e",
			"#3b4252 #bf616a #a3be8c #ebcb8b #81a1c1 #b48ead #88c0d0 #e5e9f0",
			"#4c566a #bf616a #a3be8c #ebcb8b #81a1c1 #b48ead #8fbcbb #eceff4"),
		scheme("Solarized Dark", "#002b36 #839496 #839496 #073642",
			"#073642 #dc322f #859900 #b58900 #268bd2 #d33682 #2aa198 #eee8d5",
			"#002b36 #cb4b16 #586e75 #657b83 #839496 #6c71c4 #93a1a1 #fdf6e3"),
		scheme("Tokyo Night", "#1a1b26 #c0caf5 #c0caf5 #33467c",
			"#15161e #f7768e #9ece6a #e0af68 #7aa2f7 #bb9af7 #7dcfff #a9b1d6",
			"#414868 #f7768e #9ece6a #e0af68 #7aa2f7 #bb9af7 #7dcfff #c0caf5"),
		scheme("Catppuccin Latte", "#eff1f5 #4c4f69 #dc8a78 #acb0be",
			"#5c5f77 #d20f39 #40a02b #df8e1d #1e66f5 #ea76cb #179299 #acb0be",
			"#6c6f85 #de293e #49af3d #eea02d #456eff #fe85d8 #2d9fa8 #bcc0cc"),
		scheme("GitHub Light", "#ffffff #1f2328 #0969da #b6d8ff",
			"#24292f #cf222e #116329 #4d2d00 #0969da #8250df #1b7c83 #6e7781",
			"#57606a #a40e26 #1a7f37 #633c01 #218bff #a475f9 #3192aa #8c959f"),
		scheme("Gruvbox Light", "#fbf1c7 #3c3836 #3c3836 #d5c4a1",
			"#fbf1c7 #cc241d #98971a #d79921 #458588 #b16286 #689d6a #7c6f64",
			"#928374 #9d0006 #79740e #b57614 #076678 #8f3f71 #427b58 #3c3836"),
		scheme("One Light", "#fafafa #383a42 #526fff #e5e5e6",
			"#383a42 #e45649 #50a14f #c18401 #4078f2 #a626a4 #0184bc #a0a1a7",
			"#696c77 #e45649 #50a14f #c18401 #4078f2 #a626a4 #0184bc #fafafa"),
		scheme("Rosé Pine Dawn", "#faf4ed #575279 #575279 #dfdad9",
			"#f2e9e1 #b4637a #286983 #ea9d34 #56949f #907aa9 #d7827e #575279",
			"#9893a5 #b4637a #286983 #ea9d34 #56949f #907aa9 #d7827e #575279"),
		scheme("Solarized Light", "#fdf6e3 #657b83 #657b83 #eee8d5",
			"#073642 #dc322f #859900 #b58900 #268bd2 #d33682 #2aa198 #eee8d5",
			"#002b36 #cb4b16 #586e75 #657b83 #839496 #6c71c4 #93a1a1 #fdf6e3"),
	}
}
