package tools

import (
	"strings"
	"testing"
)

// TestReadOnlyHint_ProtectedFile_NamesIt: the hint names the protected file. Other errors get no hint.
func TestReadOnlyHint_ProtectedFile_NamesIt(t *testing.T) {
	r := Deps{Protected: map[string]string{"tests/a.py": "an existing test", "check.sh": "the check runs it"}}
	for output, want := range map[string]string{
		"sh: 1: cannot create check.sh: Read-only file system":        "remove them: check.sh (the check runs it). ",
		"rm: cannot remove 'tests/a.py': Device or resource busy":     "remove them: tests/a.py (an existing test). ",
		"error: unable to write: Read-only file system":               "check.sh (the check runs it), tests/a.py (an ",
		"EROFS: read-only file system, open '/w/tests/a.py'":          "request_access: kind write, its path, and why",
		"check.sh: no such file":                                      "",
		"sh: 1: cannot create /usr/x: Permission denied, tests/a.py!": "",
	} {
		if got := r.readOnlyHint(output); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
	if got := (Deps{}).readOnlyHint("Read-only file system"); got != "" {
		t.Errorf("nothing is protected: %q", got)
	}
}
