package terminal

import (
	"strings"
	"testing"
	"time"
)

// TestRestart_DrawsBelowOldOutput restarts programs that ended with a full main screen, or as a full-screen program.
// The new output is below the old one, at the place where xterm.js draws it.
func TestRestart_DrawsBelowOldOutput(t *testing.T) {
	needs(t, "node")
	for name, script := range map[string]string{
		"full screen of text": "seq 60; printf 'the last'; exit 1",
		"a few lines":         "printf 'one\\ntwo\\nthe last'",
		"a full-screen program": `seq 3; ` +
			`printf 'the last\n\033[?1049h\033[2;5r\033[?6h\033[31m\033[?1h\033[?25l\033[2004h\033(0lqk'; exit 2`,
	} {
		t.Run(name, func(t *testing.T) {
			s := terminalWith(t, Options{Argv: []string{"sh", "-c", script + "\n"}, Cols: 60, Rows: 12})
			ended(t, s)
			if err := s.Restart(within(t)); err != nil {
				t.Fatal(err)
			}
			ended(t, s)
			ours, raw := look(t, s)
			if diff := compare(ours, xterm(t, 60, 12, raw)); diff != "" {
				t.Error(diff)
			}
			if text := strings.Join(ours.Lines, "\n"); name == "a few lines" &&
				!strings.HasPrefix(text, "one\ntwo\nthe last\none\ntwo\nthe last\n") {
				t.Errorf("it was drawn elsewhere:\n%s", text)
			}
		})
	}
}

// TestRestoredScrollback_NewOutputIsBelow restores the end of an earlier scrollback. The note about that and the next
// program's first line come after its last line.
func TestRestoredScrollback_NewOutputIsBelow(t *testing.T) {
	needs(t, "node")
	for name, tail := range map[string]string{
		"short": "$ echo one\r\none\r\n$ ",
		"long":  strings.Repeat("a line\r\n", 40) + "$ ",
	} {
		t.Run(name, func(t *testing.T) {
			raw := append(RestoredScrollback([]byte(tail), time.Now()), "$ new"...)
			seen := xterm(t, 60, 12, raw)
			last := 0
			for y, line := range seen.Lines {
				if line != "" {
					last = y
				}
			}
			if seen.Lines[last] != "$ new" || !strings.Contains(seen.Lines[last-1], "as it was on") ||
				seen.Lines[last-2] != "$" {
				t.Errorf("it stands elsewhere:\n%s", strings.Join(seen.Lines, "\n"))
			}
		})
	}
}
