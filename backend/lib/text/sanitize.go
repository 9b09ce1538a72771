package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ToUTF8 makes a text valid UTF-8. Each run of invalid bytes becomes one U+FFFD.
func ToUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Sanitize makes text of several lines safe to show to a user, in a terminal too. Control characters except line ends
// and tabs become spaces, and invisible characters are shown as their codes. Terminals also interpret the control
// characters from U+0080 to U+009F.
func Sanitize(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case IsInvisible(r):
			fmt.Fprintf(&b, "‹U+%04X›", r)
		case unicode.IsControl(r) && r != '\n' && r != '\t':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// IsInvisible reports whether a character is invisible and changes what is seen: such characters reverse the direction
// of a line, join words, or end a line.
func IsInvisible(r rune) bool { return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }

// SanitizeLine makes one line of a text: runs of white space become one space, and control characters, invisible
// characters and invalid bytes are removed. It cuts a longer text at a character, after at most limit bytes, and marks
// the cut.
func SanitizeLine(s string, limit int) string {
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

// SanitizeLines is SanitizeLine for each line of a text. It keeps up to 60 spaces before a line.
func SanitizeLines(s string, limit int) string {
	const maxIndent = 60
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		content := strings.TrimLeft(line, " ")
		lines[i] = line[:min(len(line)-len(content), maxIndent)] + SanitizeLine(content, limit)
	}
	return strings.Join(lines, "\n")
}

// isSanitized reports whether a text is printable ASCII with single spaces between its words, as most texts are.
// SanitizeLine does not change such a text.
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

// FirstLine returns the first line that is neither blank nor a mark of WrapUntrusted, without the space around it.
func FirstLine(s string) string { return FirstLines(s, 1) }

// FirstLines returns such lines from the first one on, until together they have at least the given bytes.
func FirstLines(s string, bytes int) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, openingMark) || line == closingMark {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		if b.Len() >= bytes {
			break
		}
	}
	return ToUTF8(b.String())
}
