// Package sanitize makes text of a page safe to show: one line, limited in length, without
// control characters.
package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes one line of page text: runs of white space become one space, and control characters
// and those that turn or hide text are removed. A longer text is cut at a character to limit
// bytes.
func Line(s string, limit int) string {
	if len(s) <= limit && isSanitized(s) {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		if b.Len()+utf8.RuneLen(r) > limit {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isSanitized reports that Line would not change a text, which is true for most texts. It may
// return false for such a text.
func isSanitized(s string) bool {
	space := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && space {
			return false
		}
		space = c == ' '
	}
	return !space || s == ""
}
