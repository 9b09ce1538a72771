package app_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// givesUp is a call with which a goal ends.
var givesUp = call("abort_with_report", `{"reason":"enough","what_was_learned":"-"}`)

// TestChanges_OfAResumedGoal_KeepTheUsersEdits: an undo keeps what the user changed while the goal was paused, and
// reverts what the agent changed in both runs.
func TestChanges_OfAResumedGoal_KeepTheUsersEdits(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "start\n")
	write("b", "start\n")
	p.provide(turns(
		call("run_command", `{"command":"echo agent | tee a b"}`),
		call("ask_user", `{"question":"What next?"}`),
		call("run_command", `{"command":"echo again > a; echo new > c"}`),
		givesUp,
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "change",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser {
		t.Fatalf("paused %+v", e)
	}
	<-p.app.Done(goal.ID(out.GoalID))
	write("b", "user\n")
	if ok, err := p.goal.Resume(out.GoalID, api.ResumeInput{Note: "go"}); !ok || err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	<-p.app.Done(goal.ID(out.GoalID))

	changes := area[*calls.ChangesAPI](t, p.app)
	v, err := changes.List(out.GoalID, nil)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, f := range v.Files {
		mark := ""
		if f.EditedSince {
			mark = " edited"
		}
		list = append(list, f.Change+" "+f.Path+mark)
	}
	if got, want := strings.Join(list, ", "), "changed a, changed b edited, new c"; got != want {
		t.Errorf("changes are %s, want %s", got, want)
	}
	done, err := changes.Undo(out.GoalID, api.UndoInput{})
	if err != nil {
		t.Fatal(err)
	}
	a, errA := os.ReadFile(filepath.Join(dir, "a"))
	b, errB := os.ReadFile(filepath.Join(dir, "b"))
	if errA != nil || errB != nil || string(a) != "start\n" || string(b) != "user\n" {
		t.Errorf("a is %q %v, b is %q %v; %+v", a, errA, b, errB, done)
	}
	if len(done.Skipped) != 1 || done.Skipped[0].Path != "b" || !done.Skipped[0].CanForce {
		t.Errorf("skipped %+v", done.Skipped)
	}
}

// TestUndo_AnotherGoalRunsInTheFolder_IsRefused: the undo would change files while the other agent works with them.
func TestUndo_AnotherGoalRunsInTheFolder_IsRefused(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	hold := make(chan struct{})
	p.provide(func(_ int, r modeltest.Request) modeltest.Answer {
		if strings.Contains(r.Messages[1].Text, "second") {
			return modeltest.Answer{Wait: hold, Calls: givesUp.Calls}
		}
		return turns(call("run_command", `{"command":"echo x > made"}`), givesUp)(0, r)
	})
	first, err := p.goal.Start(goal.Request{
		Objective: "first",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(first.GoalID)
	second, err := p.goal.Start(goal.Request{
		Objective: "second",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.await("the second goal", func(e event.Event) bool {
		_, ok := e.Body.(*event.Iteration)
		return ok && string(e.GoalID) == second.GoalID
	})
	changes := area[*calls.ChangesAPI](t, p.app)
	_, err = changes.Undo(first.GoalID, api.UndoInput{})
	if !api.IsConflict(err) || !strings.Contains(err.Error(), "is running in the same folder") {
		t.Errorf("undo while another goal runs there: %v", err)
	}
	_, err = changes.Undo(second.GoalID, api.UndoInput{})
	if !api.IsConflict(err) || !strings.Contains(err.Error(), "the goal is running") {
		t.Errorf("undo of a goal that runs: %v", err)
	}
	close(hold)
	p.ended(second.GoalID)
	if _, err := changes.Undo(first.GoalID, api.UndoInput{}); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "made")); err == nil {
		t.Error("the file is still there")
	}
}

// TestChanges_OfAReadOnlyGoal_SayWhyThereAreNone also checks that an undo is refused.
func TestChanges_OfAReadOnlyGoal_SayWhyThereAreNone(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	p.provide(turns(givesUp))
	out, err := p.goal.Start(goal.Request{
		Objective: "look",
		Policy:    policy.Policy{Dir: t.TempDir(), Risk: "read_only"},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	v, err := p.app.Goals.History.Changes(context.Background(), goal.ID(out.GoalID), nil)
	if err != nil || !strings.Contains(v.Unavailable, "may only read") {
		t.Errorf("changes: %q %v", v.Unavailable, err)
	}
	changes := area[*calls.ChangesAPI](t, p.app)
	if _, err := changes.Undo(out.GoalID, api.UndoInput{}); !api.IsConflict(err) {
		t.Errorf("undo: %v", err)
	}
}

// TestChanges_ApprovedInAReadOnlyGoal_AreUndone: the first snapshot is taken before the approved change.
func TestChanges_ApprovedInAReadOnlyGoal_AreUndone(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("old\n"), 0o600))
	p.provide(turns(call("write_file", `{"path":"notes.txt","content":"new\n"}`), givesUp))
	out, err := p.goal.Start(goal.Request{
		Objective: "look",
		Policy:    policy.Policy{Dir: dir, Risk: "read_only"},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	must(t, err)
	p.answers(out.GoalID, policy.ScopeOnce)
	p.ended(out.GoalID)
	changes := area[*calls.ChangesAPI](t, p.app)
	v, err := p.app.Goals.History.Changes(context.Background(), goal.ID(out.GoalID), nil)
	if err != nil || len(v.Files) != 1 || v.Files[0].Path != "notes.txt" {
		t.Fatalf("changes: %+v %v", v, err)
	}
	if _, err := changes.Undo(out.GoalID, api.UndoInput{}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "notes.txt")); string(text) != "old\n" {
		t.Errorf("after the undo: %q %v", text, err)
	}
}

// TestChanges_OfAGoalWithoutAClaim_SayWhichCheckReadThem: this is known from pre-flight.
func TestChanges_OfAGoalWithoutAClaim_SayWhichCheckReadThem(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "data.txt"), []byte("start\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.provide(turns(call("run_command", `{"command":"echo more >> data.txt; echo new > other.txt"}`), givesUp))
	const check = "grep -q done data.txt"
	out, err := p.goal.Start(goal.Request{
		Objective: "change",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell(check)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	<-p.app.Done(goal.ID(out.GoalID))
	v, err := area[*calls.ChangesAPI](t, p.app).List(out.GoalID, nil)
	if err != nil || len(v.Files) != 2 {
		t.Fatalf("%+v, %v", v, err)
	}
	if got := v.Files[0]; got.Path != "data.txt" || len(got.ReadBy) != 1 || got.ReadBy[0] != check {
		t.Errorf("%s is read by %q", got.Path, got.ReadBy)
	}
	if got := v.Files[1]; len(got.ReadBy) != 0 {
		t.Errorf("%s is read by %q", got.Path, got.ReadBy)
	}
}

// TestEdit_OfAChangedFile_StartsTheUsersEditor: the editor gets its own arguments and the path, which the shell does
// not interpret. A link of the agent that leads out of the folder is refused.
func TestEdit_OfAChangedFile_StartsTheUsersEditor(t *testing.T) {
	home := t.TempDir()
	fifo, editor := filepath.Join(home, "seen"), filepath.Join(home, "editor")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // it is run
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nprintf '%s|' \"$@\" > "+fifo+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("VISUAL", editor+" --wait")
	p, dir := start(t, t.TempDir()), t.TempDir()
	p.provide(turns(call("run_command", `{"command":"echo x > '$(touch made) a.txt'; ln -s `+editor+` link"}`), givesUp))
	out, err := p.goal.Start(goal.Request{
		Objective: "change",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	<-p.app.Done(goal.ID(out.GoalID))
	changes := area[*calls.ChangesAPI](t, p.app)
	const name = "$(touch made) a.txt"
	info, err := changes.Edit(out.GoalID, name)
	if err != nil {
		t.Fatal(err)
	}
	seen, err := os.ReadFile(fifo) // blocks until the editor has written
	if want := "--wait|" + filepath.Join(dir, name) + "|"; err != nil || string(seen) != want {
		t.Errorf("the editor was started with %q, want %q (%v)", seen, want, err)
	}
	if info.Title != name || info.GoalID != "" {
		t.Errorf("the pane %+v is not one of the user", info)
	}
	if _, err := os.Lstat(filepath.Join(dir, "made")); err == nil {
		t.Error("the name of the file was run by a shell")
	}
	for path, want := range map[string]string{
		"link": "outside of the goal's folder", "../x": "not in the goal's folder", "gone": "no longer in the goal's folder",
	} {
		if _, err := changes.Edit(out.GoalID, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("edit %s: %v", path, err)
		}
	}
}
