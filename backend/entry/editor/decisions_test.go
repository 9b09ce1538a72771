package editor

import (
	"reflect"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/storage/store"
)

// TestResumeInput_ExactWord_Decides checks that any other prompt is a note, which puts nothing back.
func TestResumeInput_ExactWord_Decides(t *testing.T) {
	changed := store.Subject{Changed: []goal.DecidingFile{{Path: "a.py", Why: "the check runs it"}}}
	unlock := store.Subject{Unlock: "conftest.py"}
	for _, c := range []struct {
		words string
		about store.Subject
		want  api.ResumeInput
	}{
		{"Keep", changed, api.ResumeInput{Protected: api.AcceptProtected}},
		{"put back ", changed, api.ResumeInput{Protected: api.RestoreProtected}},
		{"put back the old layout", changed, api.ResumeInput{Note: "put back the old layout"}},
		{"yes", unlock, api.ResumeInput{Note: "yes", Unprotect: []string{"conftest.py"}}},
		{"yes", store.Subject{}, api.ResumeInput{Note: "yes"}},
		{"keep", store.Subject{}, api.ResumeInput{Note: "keep"}},
	} {
		if got := resumeInput(c.words, c.about); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %+v, want %+v", c.words, got, c.want)
		}
	}
	if said := explainSubject(changed, "It was wrong."); !strings.Contains(said, "- a.py: the check runs it\n") ||
		!strings.Contains(said, "The agent says: It was wrong.") || !strings.Contains(said, "`put back`") {
		t.Errorf("it says %q", said)
	}
}
