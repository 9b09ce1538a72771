package cli

import (
	"bytes"
	"fmt"
	"strings"
)

// Text of models, pages and programs reaches a terminal through these. JSON
// escapes only half of the control characters: terminals also obey those from
// U+0080 to U+009F.

func control(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// harmless leaves no control character but the ends of lines and tabs.
func harmless(s string) string {
	return strings.Map(func(r rune) rune {
		if control(r) && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, s)
}

// oneLine makes one line of at most 110 characters.
func oneLine(s string) string {
	const most = 110
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > most {
			b.WriteRune('…')
			break
		}
		if control(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// bullet is one entry of a report. Its further lines stand under the first, so
// that none of them looks like an entry of the host.
func bullet(s string) string {
	return "  • " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n      ") + "\n"
}

// plainJSON escapes in JSON what a terminal would obey; it still says the same.
func plainJSON(b []byte) []byte {
	if !bytes.ContainsFunc(b, func(r rune) bool { return r >= 0x7f && r < 0xa0 }) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		if r >= 0x7f && r < 0xa0 {
			fmt.Fprintf(&out, "\\u%04x", r)
			continue
		}
		out.WriteRune(r)
	}
	return out.Bytes()
}
