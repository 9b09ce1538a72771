package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
	"goalpost/backend/lib/fault"
)

// TestCommit_OfAGoal_HasItsFilesAlone: the commit has the files that the goal changed, and none that git ignores. It
// names the files that the user had not committed, and leaves the checked-out branch as it is.
func TestCommit_OfAGoal_HasItsFilesAlone(t *testing.T) {
	t.Parallel()
	p, dir := start(t, t.TempDir()), t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "git", args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q", "-b", "main")
	git("config", "user.name", "Ada")
	git("config", "user.email", "ada@example.org")
	write("a", "one\n")
	write("b", "one\n")
	write("mine", "one\n")
	write(".gitignore", "*.log\n")
	git("add", "-A")
	git("commit", "-qm", "one")
	write("b", "not committed\n")
	write("mine", "of the user\n")
	p.provide(turns(call("run_command", `{"command":"echo two | tee -a a b c d.log; rm .gitignore"}`), givesUp))
	out, err := p.goal.Start(goal.Request{
		Objective: "Make it Two!",
		Policy:    policy.Policy{Dir: dir},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.ended(out.GoalID)
	<-p.app.Done(goal.ID(out.GoalID))

	changes := area[*calls.ChangesAPI](t, p.app)
	offer, err := changes.CommitOffer(out.GoalID)
	if err != nil || offer.Branch != "goalpost/make-it-two" || offer.Current != "main" || offer.Message != "Make it Two!" {
		t.Fatalf("offer %+v %v", offer, err)
	}
	done, err := changes.Commit(out.GoalID, api.CommitInput{})
	if err != nil {
		t.Fatal(err)
	}
	if got := git("log", "-1", "--format=%s", "--name-status", offer.Branch); got !=
		"Make it Two!\n\nD\t.gitignore\nM\ta\nM\tb\nA\tc" {
		t.Errorf("the commit is %q", got)
	}
	if strings.Join(done.Mixed, " ") != "b" || len(done.Skipped) != 1 || done.Skipped[0].Path != "d.log" {
		t.Errorf("mixed %v, skipped %v", done.Mixed, done.Skipped)
	}
	if got := git("symbolic-ref", "--short", "HEAD") + " " + git("log", "--format=%s") + " " +
		git("diff", "--cached"); got != "main one " {
		t.Errorf("what is checked out: %q", got)
	}

	// Where all files are left out, the error names them and says what to do.
	git("config", "filter.lfs.clean", "false")
	write(".git/info/attributes", "a filter=lfs\n")
	if err := os.MkdirAll(filepath.Join(dir, "inner", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	write("inner/file", "two\n")
	for path, want := range map[string]string{
		"a":     "1 file left out: a (git would run the filter lfs on it",
		"d.log": "1 file left out: d.log (git ignores it)",
		"inner": "1 file left out: inner/file (it belongs to the repository in inner)",
	} {
		_, err := changes.Commit(out.GoalID, api.CommitInput{Branch: "other", Paths: []string{path}})
		if e := fault.Of(err); !strings.Contains(e.Message, want) || !strings.Contains(e.Hint, "git add") {
			t.Errorf("%s: %v", path, err)
		}
	}
	_, err = changes.Commit(out.GoalID, api.CommitInput{Paths: []string{"mine"}})
	if fault.Of(err).Message != "there is nothing to commit" {
		t.Errorf("a file that the goal did not change: %v", err)
	}
}
