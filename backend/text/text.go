// Package text makes texts and errors from outside short for people and models.
package text

import (
	"errors"
	"fmt"
	"io/fs"
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

// TruncateBytes cuts a text after at most limit bytes, at a character, and marks the cut.
func TruncateBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// Prefix returns the first bytes of what anybody may have sent, for a log.
func Prefix(s string) string {
	const limit = 120
	return strings.ToValidUTF8(s[:min(len(s), limit)], "\uFFFD")
}

// StripPathError leaves out the system call's name, which tells neither a user nor a model
// anything. The error still wraps its cause.
func StripPathError(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}

// TruncateMiddle leaves out the middle of what is longer than most bytes, and says so.
func TruncateMiddle(b []byte, most int) []byte {
	if len(b) <= most {
		return b
	}
	half := most / 2
	note := fmt.Sprintf("\n… %d bytes left out …\n", len(b)-2*half)
	return append(append(append([]byte{}, b[:half]...), note...), b[len(b)-half:]...)
}

// OneLine is the beginning of a text that came from outside, fit for one sentence.
func OneLine(s string, most int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// JoinClauses puts two parts of a sentence together, either of which may be empty.
func JoinClauses(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "; " + b
}
