package panes

import (
	"errors"
	"testing"

	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// TestValidateOpenable_DangerousFile_IsRefused: opening a download must not start a program, or a file that a goal may
// have replaced.
func TestValidateOpenable_DangerousFile_IsRefused(t *testing.T) {
	for _, path := range []string{"/home/ann/Downloads/report.pdf", "/x/a.txt", "/x/noending", "/x/picture.PNG"} {
		if err := validateOpenable("", path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if err := validateOpenable("g1", path); err == nil {
			t.Errorf("%s of a goal is opened", path)
		}
	}
	for _, path := range []string{"/x/a.desktop", "/x/a.HTML", "/x/report.pdf.svg", "/x/run.sh", "/x/a.Exe"} {
		var said *fault.Error
		if err := validateOpenable("", path); !errors.As(err, &said) || said.Code != fault.Refused || said.Hint == "" {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestDownloadDirFor_ReadOnlyGoal_IsEmpty: a download needs no tool call, so the policy cannot decide about it.
func TestDownloadDirFor_ReadOnlyGoal_IsEmpty(t *testing.T) {
	for risk, want := range map[policy.Risk]string{
		policy.ReadOnly:    "",
		policy.WriteLocal:  "/work",
		policy.NetworkGet:  "/work",
		policy.SpendsMoney: "/work",
		"":                 "",
	} {
		if got := downloadDirFor(policy.Policy{Risk: risk, Dir: "/work"}); got != want {
			t.Errorf("%q saves in %q", risk, got)
		}
	}
}
