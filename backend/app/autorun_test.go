package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// TestReport_NewAutorunFiles_AreListed: the report names files that would run automatically, except those that existed
// before the goal. The user's own configuration stays unchanged.
func TestReport_NewAutorunFiles_AreListed(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	dir := t.TempDir()
	put := func(name, text string) {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	put(".git/HEAD", "ref: refs/heads/main\n")
	put(".git/config", "[core]\n\teditor = mine\n")
	put(".git/hooks/pre-commit", "#!/bin/sh\n")
	p.provide(turns(
		args("run_command", map[string]any{
			"command": `printf '\tfsmonitor = ./evil\n' >> .git/config; echo x > .git/hooks/post-checkout; ` +
				`printf ../evil > .git/commondir; ` +
				`mkdir -p new/.git && printf '[alias]\n\tst = !evil\n' > new/.git/config; ` +
				`echo evil > .envrc; ` +
				`for n in 1 2 3 4 5 6 7 8 9 10 11; do mkdir -p sub$n; echo evil > sub$n/.envrc; done; ` +
				`echo x > /tmp/forgotten`,
		}),
		args("abort_with_report", map[string]any{"reason": "enough", "what_was_learned": "-"}),
	))
	out, err := p.goal.Start(goal.Request{
		Objective: "leave traces",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("false")},
		Options:   goal.Options{OnAsk: "deny"},
	})
	must(t, err)
	report := strings.Join(p.ended(out.GoalID).Body.(*event.Ended).Report, "\n")
	for _, want := range []string{
		// each of these new files must be named
		".git/commondir: leads git to ../evil", "new/.git/config: alias.st = !evil", ".envrc: is obeyed", "sub9/.envrc",
		"sub11/.envrc",
		`fsmonitor = ./evil`, "post-checkout: added", // in the goal's copy of the configuration
		"forgotten",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q", want)
		}
	}
	if strings.Contains(report, "editor = mine") || strings.Contains(report, "pre-commit") {
		t.Error("the report tells what was there before")
	}
	if t.Failed() {
		t.Logf("%s", report)
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".git/config")); err != nil || strings.Contains(string(text), "evil") {
		t.Errorf("the user's own configuration: %s, %v", text, err)
	}
}
