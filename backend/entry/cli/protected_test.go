package cli

import (
	"testing"

	"goalpost/backend/domain/goal"
)

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
