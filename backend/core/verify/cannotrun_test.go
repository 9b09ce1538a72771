package verify_test

import (
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestPreflight_MissingStart_CannotRun: if a program does not find what it is to run, the check decides nothing,
// whatever the exit code is.
func TestPreflight_MissingStart_CannotRun(t *testing.T) {
	h := host(t)
	write(t, h.Environment.Dir, "Makefile", "all:\n\t@false\nbroken: nowhere\n")
	write(t, h.Environment.Dir, "fails.py", "import nowhere\n")
	write(t, h.Environment.Dir, "says.py", "print(\"sh: 0: cannot open other.sh\"); raise SystemExit(2)\n")
	for _, c := range []struct {
		command string
		outcome goal.Outcome
		missing string
	}{
		{"python3 -m nosuchmodule", goal.CheckUnrunnable, "nosuchmodule"},
		{"python3 nosuch.py", goal.CheckUnrunnable, "nosuch.py"},
		{"make nosuchtarget", goal.CheckUnrunnable, "nosuchtarget"},
		{"bash nosuch.sh", goal.CheckUnrunnable, "nosuch.sh"},
		{"sh nosuch.sh", goal.CheckUnrunnable, "nosuch.sh"},
		{"make", goal.FailsAsExpected, ""},
		{"make broken", goal.FailsAsExpected, ""},      // the missing prerequisite is the work
		{"python3 fails.py", goal.FailsAsExpected, ""}, // so is a missing module that a script imports
		{"python3 says.py", goal.FailsAsExpected, ""},
		{"sh plain.sh", goal.FailsAsExpected, ""},
	} {
		v := h.Preflight(t.Context(), shell(c.command))
		if v.Outcome != c.outcome || !strings.HasSuffix(v.Missing, c.missing) || (v.Missing == "") != (c.missing == "") {
			t.Errorf("%s: %s (%s), missing %q\n%s", c.command, v.Outcome, v.Detail, v.Missing, v.Tail)
		}
		if c.missing != "" && v.Tail == "" {
			t.Errorf("%s: its output is not shown", c.command)
		}
	}
}
