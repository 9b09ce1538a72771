package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Text of models, pages and programs reaches a terminal through these. JSON
// escapes only half of the control characters: terminals also obey those from
// U+0080 to U+009F.

func control(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }

// isInvisible tells characters that nobody sees and that change what is seen: they turn
// the direction of a line round, join words, or end a line where no line ends.
func isInvisible(r rune) bool { return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) }

// showInvisible shows a hidden character.
func showInvisible(r rune) string { return fmt.Sprintf("‹U+%04X›", r) }

// sanitize leaves no control character but the ends of lines and tabs, and shows
// what is hidden.
func sanitize(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case isInvisible(r):
			b.WriteString(showInvisible(r))
		case control(r) && r != '\n' && r != '\t':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// singleLine makes one line of a text, whole.
func singleLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, sanitize(s))
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
		switch {
		case isInvisible(r):
			b.WriteString(showInvisible(r))
		case control(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// argumentLines are all arguments of a call, by name, for a user who decides about
// it: nothing is left out, and each line of a value begins with a bar, so that none
// can look like a line of ours.
func argumentLines(arguments string) string {
	var args map[string]any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		args = map[string]any{"arguments": arguments}
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(args)) {
		value, ok := args[name].(string)
		if !ok {
			text, err := json.Marshal(args[name])
			if err != nil { // it was JSON a moment ago
				text = []byte(arguments)
			}
			value = string(text)
		}
		fmt.Fprintf(&b, "    %s\n", singleLine(name))
		for line := range strings.SplitSeq(value, "\n") {
			b.WriteString("      | " + singleLine(line) + "\n")
		}
	}
	return b.String()
}

// bullet is one entry of a report. Its further lines stand under the first, so
// that none of them looks like an entry of the host.
func bullet(s string) string {
	return "  • " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n      ") + "\n"
}

// plainJSON escapes in JSON what a terminal would obey or hide; it still says the same.
func plainJSON(b []byte) []byte {
	escaped := func(r rune) bool { return r >= 0x7f && r < 0xa0 || isInvisible(r) }
	if !bytes.ContainsFunc(b, escaped) {
		return b
	}
	var out bytes.Buffer
	for _, r := range string(b) {
		switch {
		case !escaped(r):
			out.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&out, "\\u%04x\\u%04x", high, low)
		default:
			fmt.Fprintf(&out, "\\u%04x", r)
		}
	}
	return out.Bytes()
}
