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

// TestAnswerCommands_ProtectedFilesChanged_NameThreeWays compares the complete commands. Each of them is enough on its
// own.
func TestAnswerCommands_ProtectedFilesChanged_NameThreeWays(t *testing.T) {
	p := approvalCommands{Program{Name: "goalctl"}}
	got := p.answerCommands(pendingQuestion{
		GoalID:      "0123456789abcdef",
		What:        "changed",
		Changed:     []goal.DecidingFile{{Path: "conftest.py", Why: "it is new"}, {Path: "a.py", Why: "it is a test"}},
		AgentReason: "The tests need\na fixture.",
	})
	id := goal.ID("0123456789abcdef").Short()
	want := "  conftest.py: it is new\n  a.py: it is a test\n  the agent says: The tests need a fixture.\n" +
		"  goalctl resume " + id + " --accept-protected   keep the change: it counts from now on, and the goal continues\n" +
		"  goalctl resume " + id + " --restore-protected  put it back: only this is undone, and the goal continues\n" +
		"  goalctl abort " + id + "                       stop\n" +
		"  With --restore-protected, --accept-changes PATH keeps one of them.\n"
	if got != want {
		t.Errorf("it prints\n%s\ninstead of\n%s", got, want)
	}
}
