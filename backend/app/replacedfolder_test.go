package app_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// makeReadOnly makes a folder read-only until the test ends.
func makeReadOnly(t *testing.T, dir string) error {
	if os.Geteuid() != 0 {
		t.Cleanup(func() { must(t, os.Chmod(dir, 0o700)) }) //nolint:gosec // a folder
		return os.Chmod(dir, 0o500)                         //nolint:gosec // a folder
	}
	t.Cleanup(func() { must(t, exec.Command("chattr", "-i", dir).Run()) })
	return exec.Command("chattr", "+i", dir).Run()
}

// TestFolder_ReplacedDuringARun_PausesTheGoal: the folder is replaced, moved, removed or made read-only while the model
// answers. The
// claim of that answer is not decided in the other folder, although the check would pass there. After a resume the
// goal works in the new folder, and what came with it is not undone.
func TestFolder_ReplacedDuringARun_PausesTheGoal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := t.TempDir()
	moved, fresh := filepath.Join(base, "elsewhere"), fstest.MapFS{"b": {Data: []byte("start\n"), Mode: 0o600}}
	for name, c := range map[string]struct {
		replace func(dir string) error
		want    string
		resumes bool
	}{
		"made again": {func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.CopyFS(dir, fresh))
		}, "was removed, and what it wrote", true},
		"replaced": {func(dir string) error {
			return errors.Join(os.Rename(dir, moved), os.CopyFS(dir, fresh))
		}, "was moved to " + moved + ", and what", true},
		"moved":     {func(dir string) error { return os.Rename(dir, dir+".old") }, ".old. Put it back and resume", false},
		"read-only": {func(dir string) error { return makeReadOnly(t, dir) }, "cannot write there", false},
		"removed":   {os.RemoveAll, "was removed. Put it back and resume", false},
	} {
		dir := filepath.Join(base, name)
		must(t, os.Mkdir(dir, 0o700))
		if name == "read-only" && exec.Command("chattr", "-i", dir).Run() != nil && os.Geteuid() == 0 {
			t.Log("chattr does not work here, and root may write anywhere else")
			continue
		}
		must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("start\n"), 0o600))
		isReplaced := false
		claim := call("claim_complete", `{"rationale":"it is done"}`)
		p.provide(func(n int, r modeltest.Request) modeltest.Answer {
			answer := turns(call("run_command", `{"command":"echo agent > a"}`), claim,
				call("run_command", `{"command":"echo agent > b"}`), claim)(n, r)
			if answer.Calls[0].Tool == claim.Calls[0].Tool && !isReplaced {
				isReplaced = true
				if err := c.replace(dir); err != nil {
					t.Error(err)
				}
			}
			return answer
		})
		out, err := p.goal.Start(goal.Request{
			Objective: name,
			Policy:    policy.Policy{Dir: dir},
			Criterion: goal.Criterion{Checks: shell("test -f b")},
		})
		must(t, err)
		paused, ok := p.ended(out.GoalID).Body.(*event.Paused)
		if !ok || paused.Exit != goal.NeedsUser || !strings.Contains(paused.Reason, c.want) {
			t.Fatalf("%s: %+v", name, paused)
		}
		<-p.app.Done(goal.ID(out.GoalID))
		if !c.resumes {
			continue
		}
		changes := area[*calls.ChangesAPI](t, p.app)
		undone, err := changes.Undo(out.GoalID, api.UndoInput{})
		if must(t, err); len(undone.Done) != 0 || len(undone.Skipped) != 2 {
			t.Errorf("%s: the undo takes the new folder for the agent's work: %+v", name, undone)
		}
		_, err = p.goal.Resume(out.GoalID, api.ResumeInput{})
		must(t, err)
		p.ended(out.GoalID)
		<-p.app.Done(goal.ID(out.GoalID))
		if b, err := os.ReadFile(filepath.Join(dir, "b")); err != nil || string(b) != "agent\n" {
			t.Errorf("%s: after the resume b is %q, %v", name, b, err)
		}
	}
}
