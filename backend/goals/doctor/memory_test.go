package doctor

import (
	"errors"
	"strings"
	"testing"

	"goalpost/backend/host/sandbox"
	"goalpost/backend/lib/fault"
)

// TestMemoryFinding_WithAndWithoutCgroup_SaysWhoLimits: without a cgroup, the finding also says why, and what to do.
func TestMemoryFinding_WithAndWithoutCgroup_SaysWhoLimits(t *testing.T) {
	for _, c := range []struct {
		err                 error
		state, detail, hint string
	}{
		{nil, "ok", "The kernel allows each goal at most 2048 MiB", ""},
		{
			fault.New(fault.Unavailable, "no session bus of this user runs", "log in"), "warn",
			"above 2048 MiB together; a fast one can exceed that for a moment. The kernel does not enforce it: no session " +
				"bus of this user runs.",
			"log in",
		},
		{errors.New("a reason without advice"), "warn", "does not enforce it: a reason without advice.", ""},
	} {
		f := memoryFinding(&sandbox.ResourceLimits{Together: 2 << 30}, c.err)
		if string(f.State) != c.state || !strings.Contains(f.Detail, c.detail) || f.Hint != c.hint {
			t.Errorf("%v: %+v", c.err, f)
		}
	}
}
