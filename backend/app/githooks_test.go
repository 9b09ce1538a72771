package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
)

// TestGitHooks_InTheFolder_AreReadOnly: if git's configuration names hooks in the folder, neither the goal's programs
// nor its file tools can change them. The report names changes that exist only in the goal's copy.
func TestGitHooks_InTheFolder_AreReadOnly(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	dir := t.TempDir()
	hook := filepath.Join(dir, ".husky", "pre-commit")
	for path, text := range map[string]string{
		filepath.Join(dir, ".git", "config"): "[core]\n\thooksPath = .husky\n",
		hook:                                 "#!/bin/sh\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.provide(turns(
		args("write_file", map[string]any{"path": ".husky/pre-commit", "content": "evil"}),
		args("write_file", map[string]any{"path": ".husky/pre-push", "content": "evil"}),
		runs("echo evil >> .husky/pre-commit && mv .husky h; mkdir -p .husky; echo evil > .husky/pre-push"),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "hooks",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	v := p.done(out.GoalID)
	for n := 1; n <= 2; n++ {
		if s, err := p.goal.Step(out.GoalID, n); err != nil || !strings.Contains(s.Result, "git runs or reads .husky") {
			t.Errorf("call %d: %q, %v", n, s.Result, err)
		}
	}
	if text, err := os.ReadFile(hook); err != nil || string(text) != "#!/bin/sh\n" {
		t.Errorf("the hook is %q, %v", text, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".husky", "pre-push")); err == nil {
		t.Error("a hook was added")
	}
	if reported := strings.Join(v.Report, "\n"); !strings.Contains(reported, "Changed only in the goal's copy") ||
		!strings.Contains(reported, hook) {
		t.Errorf("the report: %s", reported)
	}
}

// TestReplacedGitConfig_DuringARun_PausesTheGoal: the goal's programs end, and the reason of the pause names the file.
// The resumed goal works in a new sandbox.
func TestReplacedGitConfig_DuringARun_PausesTheGoal(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	dir := t.TempDir()
	config := filepath.Join(dir, ".git", "config")
	err := errors.Join(os.Mkdir(filepath.Dir(config), 0o755), os.WriteFile(config, []byte("[core]\n"), 0o644))
	if err != nil {
		t.Fatal(err)
	}
	hold := make(chan struct{})
	p.provide(turns(
		call("list_files", "{}"),
		modeltest.Answer{Wait: hold, Calls: runs("sleep 600").Calls}, // ends with the sandbox
		call("list_files", "{}"),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "o",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
		Options:   goal.Options{CriticEvery: goal.NoLimit},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.await("the step", func(e event.Event) bool { _, ok := e.Body.(*event.Step); return ok })
	next := config + ".lock"
	if err := errors.Join(os.WriteFile(next, []byte("[user]\n"), 0o644), os.Rename(next, config)); err != nil {
		t.Fatal(err)
	}
	close(hold)
	if e, ok := p.ended(out.GoalID).Body.(*event.Paused); !ok || e.Exit != goal.NeedsUser ||
		!strings.Contains(e.Reason, config+" was replaced, moved or removed") {
		t.Fatalf("%+v", e)
	}
	p.provide(turns(
		runs("echo evil >> .git/config && grep evil .git/config"),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	if _, err := p.goal.Resume(out.GoalID, api.ResumeInput{}); err != nil {
		t.Fatal(err)
	}
	if e, ok := p.ended(out.GoalID).Body.(*event.Ended); !ok || e.Exit != goal.GaveUp {
		t.Fatalf("%+v", e)
	}
	if text, err := os.ReadFile(config); err != nil || string(text) != "[user]\n" {
		t.Errorf("the configuration is %q, %v", text, err)
	}
}
