package cli

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
)

// TestListProtected_ManyPatterns_AreCounted: at most twelve existing files are named, and the patterns of new files
// take one line.
func TestListProtected_ManyPatterns_AreCounted(t *testing.T) {
	var list []api.ProtectedFile
	for i := range 230 {
		list = append(list, api.ProtectedFile{Path: fmt.Sprintf("**/p%d", i), Kind: "appears", Why: "pytest would load it"})
	}
	for i := range 14 {
		list = append(list, api.ProtectedFile{Path: fmt.Sprintf("test_%d.py", i), Kind: "held", Why: "an existing test"})
	}
	got := listProtected(list)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 14 || lines[0] != "  held     test_0.py  an existing test" || lines[12] != "  … and 2 more" ||
		lines[13] != "  appears  230 kinds of new files that would change what the checks run" {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
	if got := listProtected(list[230:231]); strings.Contains(got, "more") || strings.Contains(got, "appears") {
		t.Errorf("one file is listed as\n%s", got)
	}
}

// TestAnswerCommands_ProtectedFileChanged_OneCommandAccepts compares the complete commands. Each of them is enough on
// its own.
func TestAnswerCommands_ProtectedFileChanged_OneCommandAccepts(t *testing.T) {
	p := approvalCommands{Program{Name: "goalctl"}}
	got := p.answerCommands(pendingQuestion{
		GoalID: "0123456789abcdef",
		What:   "look",
		Reason: goal.TamperedMark + "; when you continue, it is put back:\nconftest.py",
	})
	for _, want := range []string{
		"goalctl resume " + goal.ID("0123456789abcdef").Short() +
			" --accept-protected   accepts the changed files instead of restoring",
		"--accept-changes PATH   accepts one of them and restores the others",
		"   resumes it",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}
