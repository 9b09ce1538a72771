package sandbox_test

import (
	"strings"
	"testing"

	"goalpost/backend/process"
)

// TestKill_SeveralChildren_IsNotInterrupted: the end of the first child interrupts no kill of the next one.
func TestKill_SeveralChildren_IsNotInterrupted(t *testing.T) {
	w := newSpec(t)
	s := enclose(t, w)
	for name, c := range map[string]process.Command{
		"agent":        {},
		"traced check": {Domain: process.DomainCheck, Trace: true},
	} {
		t.Run(name, func(t *testing.T) {
			command := inside(w, `i=0
				while [ $i -lt 60 ]; do
					all=
					for j in 1 2 3 4 5 6 7 8; do sleep 1000 >/dev/null 2>&1 & all="$all $!"; done
					kill $all || echo failed
					wait
					i=$((i+1))
				done; echo killed`)
			command.Domain, command.Trace = c.Domain, c.Trace
			text, _ := output(t, s, command)
			if n := strings.Count(text, "Interrupted system call"); n > 0 || !strings.HasSuffix(text, "killed\n") ||
				strings.Contains(text, "failed") {
				t.Errorf("%d calls were interrupted: %s", n, text)
			}
		})
	}
}
