package terminal

import (
	"context"
	"fmt"
	"testing"
)

// TestOutput_TerminalReleased_IsReadToTheEnd: if no process has the terminal open, reading ends before the program
// does. What the program then prints to /dev/tty, just before its end, is still shown.
func TestOutput_TerminalReleased_IsReadToTheEnd(t *testing.T) {
	set, m := launcher(t), NewManager(nil)
	t.Cleanup(func() {
		if err := m.CloseAll(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for i := range 100 {
		s, err := m.Open(within(t), set, Options{
			ID:   fmt.Sprint(i),
			Dir:  "/",
			Argv: []string{"/bin/sh", "-c", "exec </dev/null >/dev/null 2>&1; sleep 0.02; echo last words >/dev/tty"},
			Env:  []string{"PATH=/usr/bin:/bin"},
		})
		if err != nil {
			t.Fatal(err)
		}
		ended(t, s)
		if page := s.Text(0, 1000); page.Text != "last words\n" {
			t.Fatalf("try %d: %q", i, page.Text)
		}
	}
}
