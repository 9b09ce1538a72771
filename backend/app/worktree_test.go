package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"goalpost/backend/agent/model/modeltest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/calls"
)

// userRepository is a git repository of the user with one commit, an uncommitted change and a new file.
type userRepository struct {
	*testing.T
	dir string
}

func newUserRepository(t *testing.T) userRepository {
	t.Helper()
	r := userRepository{t, t.TempDir()}
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "Ada")
	r.git("config", "user.email", "ada@example.org")
	r.write("base.txt", "one\n")
	r.write("web/index.html", "<p>\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "one")
	r.write("base.txt", "of the user\n")
	r.write("new.txt", "of the user\n")
	return r
}

func (u userRepository) write(name, content string) {
	u.Helper()
	path := filepath.Join(u.dir, name)
	must(u.T, os.MkdirAll(filepath.Dir(path), 0o755))
	must(u.T, os.WriteFile(path, []byte(content), 0o600))
}

func (u userRepository) git(args ...string) string {
	u.Helper()
	c := exec.CommandContext(u.Context(), "git", args...)
	c.Dir = u.dir
	out, err := c.CombinedOutput()
	if err != nil {
		u.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// control returns the files of the repository that decide what git runs and where the user's branch is.
func (u userRepository) control() string {
	u.Helper()
	var b strings.Builder
	for _, name := range []string{"config", "HEAD", "index", "refs/heads/main", "logs/HEAD"} {
		content, err := os.ReadFile(filepath.Join(u.dir, ".git", name))
		must(u.T, err)
		b.WriteString(name + "\n" + string(content) + "\n")
	}
	hooks, err := os.ReadDir(filepath.Join(u.dir, ".git", "hooks"))
	must(u.T, err)
	for _, hook := range hooks {
		b.WriteString(hook.Name() + "\n")
	}
	return b.String()
}

// attack returns commands that try to change the user's repository from a goal's sandbox. Each line may fail.
func (u userRepository) attack() string {
	return strings.NewReplacer("REPO", u.dir).Replace(`
		echo evil > REPO/.git/hooks/post-checkout; echo evil > REPO/.git/hooks/post-merge
		printf '[core]\n\tfsmonitor = ./evil\n' >> REPO/.git/config
		git config core.hooksPath evil; git config --worktree core.fsmonitor ./evil
		echo evil > "$(git rev-parse --git-dir)/hooks"; mkdir -p "$(git rev-parse --git-dir)/hooks"
		rm -rf REPO/.git/refs REPO/.git/objects; git update-ref refs/heads/main HEAD~1; git branch evil; git stash
		git add -A && git commit -qm evil
		echo 'gitdir: /tmp/evil' > .git; rm -f .git; mv .git moved; mkdir .git
		echo evil > REPO/base.txt; echo evil > REPO/evil
	true`)
}

// TestWorktree_TwoGoalsAtOnceOnOneRepository_EachHasItsBranch: neither goal changes the user's files or what their git
// runs. Each hands over a branch that one command merges.
func TestWorktree_TwoGoalsAtOnceOnOneRepository_EachHasItsBranch(t *testing.T) {
	t.Parallel()
	p, repo := start(t, t.TempDir()), newUserRepository(t)
	before := repo.control()
	var mu sync.Mutex
	both, asked := make(chan struct{}), map[string]bool{}
	p.provide(func(n int, r modeltest.Request) modeltest.Answer {
		name := "alpha"
		for _, m := range r.Messages {
			if strings.Contains(m.Text, "make beta") {
				name = "beta"
			}
		}
		mu.Lock()
		if !asked[name] {
			if asked[name] = true; len(asked) == 2 {
				close(both)
			}
		}
		mu.Unlock()
		begin := runs("cat base.txt > " + name + ".txt; git log --format=%s >> " + name + ".txt; git status --porcelain >> " +
			name + ".txt; " + repo.attack())
		begin.Wait = both // neither goal begins before both have asked their model
		return turns(begin, args("claim_complete", map[string]any{"rationale": "made"}))(n, r)
	})
	var ids []string
	for _, name := range []string{"alpha", "beta"} {
		out, err := p.goal.Start(goal.Request{
			Objective: "make " + name,
			Policy:    policy.Policy{Dir: repo.dir},
			Options:   goal.Options{NewWorktree: true, Review: goal.ReviewNever},
			Criterion: goal.Criterion{
				Checks: shell("test -s " + name + ".txt && git diff --quiet HEAD -- base.txt && ! test -e new.txt"),
			},
		})
		must(t, err)
		ids = append(ids, out.GoalID)
	}
	notes := map[string]string{}
	for range ids {
		p.await("an end", func(e event.Event) bool {
			switch b := e.Body.(type) {
			case *event.Warning:
				if b.What == "worktree" {
					notes[string(e.GoalID)] = b.Text
				}
			case *event.Ended:
				return true
			case *event.Paused:
				t.Errorf("paused: %s", b.Reason)
				return true
			}
			return false
		})
	}
	if after := repo.control(); after != before {
		t.Errorf("the repository was\n%s\nand is\n%s", before, after)
	}
	if got := repo.git("status", "--porcelain"); got != "M base.txt\n?? new.txt" {
		t.Errorf("the user's work tree: %q", got)
	}
	repo.git("fsck", "--strict")
	repo.git("stash", "-q", "-u")
	for i, name := range []string{"alpha", "beta"} {
		branch := "goalpost/make-" + name
		v, err := p.goal.Get(ids[i])
		must(t, err)
		own := v.Options.Worktree
		if own == nil || own.Branch != branch || own.From != "main" || v.Policy.Dir != own.Dir || v.Exit != goal.Done {
			t.Fatalf("%s %v: %+v", name, v.Exit, own)
		}
		if got := repo.git("log", "--format=%s", "--name-status", "main.."+branch); got != "make "+name+"\n\nA\t"+name+
			".txt" {
			t.Errorf("the branch %s has %q", branch, got)
		}
		if got := repo.git("show", branch+":"+name+".txt"); got != "one\none\n?? "+name+".txt" {
			t.Errorf("what git said in the sandbox: %q", got)
		}
		if note := notes[ids[i]]; !strings.Contains(note, "uncommitted changes of 2 files") ||
			!strings.Contains(note, branch) {
			t.Errorf("the journal says %q", note)
		}
		r, err := p.goal.Receipt(ids[i])
		must(t, err)
		if report := strings.Join(v.Report, "\n"); !strings.Contains(report, v.MergeCommand) ||
			r.MergeCommand != v.MergeCommand {
			t.Errorf("the report is %s, the receipt has %q", report, r.MergeCommand)
		}
		if _, _, err := p.app.Goals.RemoveWorktree(t.Context(), ids[i], false); err == nil {
			t.Error("a branch that is not merged was removed")
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", v.MergeCommand+
			" --no-edit").CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", v.MergeCommand, err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(repo.dir, "beta.txt")); err != nil {
		t.Error(err)
	}
	removed, commit, err := p.app.Goals.RemoveWorktree(t.Context(), ids[0], false)
	if err != nil || commit == "" || removed.Branch != "goalpost/make-alpha" ||
		strings.Contains(repo.git("branch"), "alpha") {
		t.Errorf("removed %+v at %q: %v", removed, commit, err)
	}
	must(t, deleteGoal(p, ids[1])) // the branch is merged, so the worktree is removed too
	if list, err := p.app.Goals.Worktrees(t.Context()); err != nil || len(list) != 0 ||
		strings.Contains(repo.git("branch"), "beta") {
		t.Errorf("left: %+v, %v", list, err)
	}
}

func deleteGoal(p *program, id string) error {
	_, err := p.goal.Delete(id)
	return err
}

// TestWorktree_DiffUndoCommitAndDelete: these actions affect only the goal's worktree, and unmerged work outlives the
// goal.
func TestWorktree_DiffUndoCommitAndDelete(t *testing.T) {
	t.Parallel()
	p, repo := start(t, t.TempDir()), newUserRepository(t)
	p.provide(turns(runs("echo two > made.txt; echo three >> index.html"), givesUp))
	out, err := p.goal.Start(goal.Request{
		Objective: "Change It",
		Policy:    policy.Policy{Dir: filepath.Join(repo.dir, "web")},
		Options:   goal.Options{NewWorktree: true},
		Criterion: goal.Criterion{Checks: shell("test -f never")},
	})
	must(t, err)
	v := p.done(out.GoalID)
	own := v.Options.Worktree
	if v.Policy.Dir != filepath.Join(own.Dir, "web") || len(v.Policy.AllowRead) != 0 {
		t.Errorf("it worked in %s and read %v", v.Policy.Dir, v.Policy.AllowRead)
	}
	if report := strings.Join(v.Report, "\n"); !strings.Contains(report,
		"Nothing was committed, because the goal is not done; goalctl commit") {
		t.Errorf("the report: %s", report)
	}
	changes := area[*calls.ChangesAPI](t, p.app)
	list, err := changes.List(out.GoalID, nil)
	if err != nil || len(list.Files) != 2 {
		t.Fatalf("changes %+v %v", list.Files, err)
	}
	if _, err := changes.Undo(out.GoalID, api.UndoInput{Paths: []string{"made.txt"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(v.Policy.Dir, "made.txt")); err == nil {
		t.Error("made.txt is still there")
	}
	done, err := changes.Commit(out.GoalID, api.CommitInput{})
	if err != nil || done.Branch != own.Branch || repo.git("log", "-1", "--format=%s", "--name-only", own.Branch) !=
		"Change It\n\nweb/index.html" {
		t.Errorf("committed %+v, %v", done, err)
	}
	must(t, deleteGoal(p, out.GoalID))
	left, err := p.app.Goals.Worktrees(t.Context())
	if err != nil || len(left) != 1 || left[0].GoalID != "" || left[0].IsMerged || left[0].Path != own.Dir {
		t.Fatalf("left: %+v, %v", left, err)
	}
	if _, commit, err := p.app.Goals.RemoveWorktree(t.Context(), filepath.Base(own.Dir), true); err != nil ||
		commit != done.Commit {
		t.Errorf("removed at %q: %v", commit, err)
	}
	if got := repo.git("status", "--porcelain"); got != "M base.txt\n?? new.txt" {
		t.Errorf("the user's work tree: %q", got)
	}
}

// TestWorktree_RefusedGoal_LeavesNothing: a goal that cannot start leaves neither a worktree nor a branch.
func TestWorktree_RefusedGoal_LeavesNothing(t *testing.T) {
	t.Parallel()
	p, repo := start(t, t.TempDir()), newUserRepository(t)
	p.provide(turns(givesUp))
	for _, one := range []struct {
		in         goal.Request
		why, field string
	}{
		{goal.Request{
			Policy:    policy.Policy{Dir: repo.dir},
			Criterion: goal.Criterion{Checks: shell("true")},
		}, "already passes", "criterion"},
		{goal.Request{
			Policy:    policy.Policy{Dir: t.TempDir()},
			Criterion: goal.Criterion{Checks: shell("false")},
		}, "not in a git repository", "new_worktree"},
		{
			goal.Request{Criterion: goal.Criterion{Checks: shell("false")}},
			"needs a folder in a git repository", "new_worktree",
		},
		{goal.Request{
			Policy:    policy.Policy{Dir: repo.dir, CheckDir: filepath.Join(repo.dir, "web")},
			Criterion: goal.Criterion{Checks: shell("false")},
		}, "tracked by git", "check_dir"},
		{goal.Request{
			Policy:    policy.Policy{Dir: repo.dir, AllowWrite: []string{repo.dir}},
			Criterion: goal.Criterion{Checks: shell("false")},
		}, "contains the repository", "allow_write"},
	} {
		one.in.Objective, one.in.NewWorktree = "refused", true
		_, err := p.goal.Start(one.in)
		if p := api.ToProblem(err); err == nil || !strings.Contains(p.Message, one.why) || p.Field != one.field {
			t.Errorf("%s: %v", one.why, err)
		}
	}
	if list, err := p.app.Goals.Worktrees(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("left: %+v, %v", list, err)
	}
	if got := repo.git("branch", "--format=%(refname:short)"); got != "main" {
		t.Errorf("branches: %s", got)
	}
}
