// Package phrase shortens texts from outside so that they fit into a sentence of the host.
package phrase

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

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
