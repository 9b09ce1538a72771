package sandbox_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox"
)

// TestLimits_FreshSandbox_HoldsTheProcessLimit: the first command of a sandbox cannot make more processes than later
// ones.
func TestLimits_FreshSandbox_HoldsTheProcessLimit(t *testing.T) {
	if _, err := os.Stat("/proc/sys/kernel/ns_last_pid"); err != nil {
		t.Skip("this kernel gives out the reserved numbers, too")
	}
	const most = 120
	for name, c := range map[string]process.Command{
		"agent":        {},
		"check":        {Domain: process.DomainCheck},
		"traced check": {Domain: process.DomainCheck, Trace: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newSpec(t)
			w.Limits = &sandbox.ResourceLimits{Processes: most}
			command := inside(w, `n=0; trap 'echo made $n; kill $all' EXIT
				while [ $n -lt 500 ]; do sleep 1000 >/dev/null 2>&1 & all="$all $!"; n=$((n+1)); done`)
			command.Domain, command.Trace = c.Domain, c.Trace
			text, _ := output(t, openSandbox(t, w), command)
			_, made, _ := strings.Cut(text, "made ")
			n := 0
			if _, err := fmt.Sscan(made, &n); err != nil || n > most || n < most/2 {
				t.Errorf("it made %d processes of at most %d: %v %s", n, most, err, text)
			}
		})
	}
}
