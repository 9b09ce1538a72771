package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/api"
)

// TestHooksOfTheFolderAreThePersons: where git's configuration names hooks in the folder, neither programs nor
// file tools of a goal change them. The user learns about the difference.
func TestHooksOfTheFolderAreThePersons(t *testing.T) {
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
	out, err := p.goal.Start(api.StartInput{Objective: "hooks", Dir: dir, Checks: shell("test -f never")})
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
	if told := strings.Join(v.Report, "\n"); !strings.Contains(told, "Changed in the goal's copy only") ||
		!strings.Contains(told, hook) {
		t.Errorf("the report: %s", told)
	}
}
