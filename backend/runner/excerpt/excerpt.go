// Package excerpt shortens texts for lists and for prompts.
package excerpt

import "strings"

// Truncate cuts a text after the given number of characters and marks the cut.
func Truncate(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// FirstLine returns the first line that is neither blank nor one of the marks around
// untrusted output. It cuts a long line.
func FirstLine(s string) string {
	const most = 160
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "<output from=") && line != "</output>" {
			return Truncate(line, most)
		}
	}
	return ""
}
