// Package sanitize makes text of a page fit to be shown: one line, bounded, without control characters.
package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line makes page text fit for one line: runs of white space become one
// space, control characters and those that turn or hide text are left out, and
// more than limit bytes are cut at a character.
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

// isSanitized says that a text is as Line would make it, which most are; it may say no
// to one that is.
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
