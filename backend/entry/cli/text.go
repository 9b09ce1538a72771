package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf16"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// singleLine joins all lines of a text.
func singleLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		return r
	}, text.Sanitize(s))
}

// oneLine joins the lines of a text and truncates it to 110 characters.
func oneLine(s string) string {
	return text.Truncate(singleLine(s), 110)
}

// argumentLines lists all arguments of a call by name, for a user who decides about it: nothing is left out, and each
// line of a value begins with a bar, so that none can look like output of this program.
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
			if err != nil { // it was valid JSON before
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

// lastLine returns the last line of an output that is not empty.
func lastLine(output string) string {
	output = strings.TrimSpace(output)
	return oneLine(output[strings.LastIndexByte(output, '\n')+1:])
}

// formatBullet is one entry of a report. Its further lines are indented, so that none of them looks like an entry of
// the host.
func formatBullet(s string) string {
	return "  • " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n      ") + "\n"
}

// plainJSON escapes in JSON what a terminal would interpret or hide; the meaning stays the same.
func plainJSON(b []byte) []byte {
	escaped := func(r rune) bool { return r >= 0x7f && r < 0xa0 || text.IsInvisible(r) }
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

// formatPlan writes the agent's plan in one line, or the note that was changed.
func formatPlan(b *event.Todos) string {
	if b.Note > 0 {
		for _, n := range b.Notes {
			if n.N == b.Note {
				return fmt.Sprintf("note %d: %s", n.N, n.Text)
			}
		}
		return fmt.Sprintf("note %d was removed", b.Note)
	}
	parts := make([]string, len(b.Items))
	for i, t := range b.Items {
		mark := "○"
		if t.Done {
			mark = "✓"
		}
		parts[i] = mark + " " + t.Text
	}
	return "plan: " + strings.Join(parts, " · ")
}

func reviewWord(r goal.Review) string {
	switch {
	case r.Error:
		return "error"
	case r.Confirmed:
		return "confirmed"
	}
	return "rejected"
}

func formatLimits(l *event.LimitsChanged) string {
	or := func(n int64, say string) string {
		if n == 0 {
			return "none"
		}
		return say
	}
	return fmt.Sprintf("%s, turns %s, claims per check %s, tokens %s, money %s",
		or(l.WallClockMS, goal.FormatDuration(time.Duration(l.WallClockMS)*time.Millisecond)),
		or(int64(l.Iterations), fmt.Sprint(l.Iterations)),
		or(int64(l.ClaimsPerCheck), fmt.Sprint(l.ClaimsPerCheck)), or(l.Tokens, fmt.Sprint(l.Tokens)),
		or(int64(l.USD*100), fmt.Sprintf("$%.2f", l.USD)))
}
