package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Truncate cuts a text after limit characters and marks the cut.
func Truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}

// TruncateBytes cuts a text at a character, after at most limit bytes, and marks the cut. The result is valid UTF-8.
func TruncateBytes(s string, limit int) string {
	isCut := len(s) > limit
	if isCut {
		s = s[:backToRune(s, limit)]
	}
	s = ToUTF8(s)
	if len(s) > limit {
		s, isCut = s[:backToRune(s, limit)], true
	}
	if isCut {
		return s + "…"
	}
	return s
}

// backToRune returns the last index up to at where a character begins. s is longer than at.
func backToRune(s string, at int) int {
	for i := at; i > at-utf8.UTFMax && i >= 0; i-- {
		if utf8.RuneStart(s[i]) {
			return i
		}
	}
	return at // not UTF-8
}

// TruncateLines cuts a text at the end of a line, after at most limit bytes, and marks the cut.
// It cuts inside a line only if that is the first one.
func TruncateLines(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "\n…"
	if i := strings.LastIndexByte(s[:limit-len(mark)+1], '\n'); i > 0 {
		return s[:i] + mark
	}
	return TruncateBytes(s, limit-len("…"))
}

// TruncateMiddle replaces the middle of a text of more than limit bytes with a note that says how much it left out.
func TruncateMiddle(b []byte, limit int) []byte {
	if len(b) <= limit {
		return b
	}
	half := limit / 2
	note := fmt.Sprintf("\n… %d bytes left out …\n", len(b)-2*half)
	return append(append(append([]byte{}, b[:half]...), note...), b[len(b)-half:]...)
}

// Prefix returns the first 120 bytes of text from outside, for a log.
func Prefix(s string) string {
	const limit = 120
	return ToUTF8(s[:min(len(s), limit)])
}
