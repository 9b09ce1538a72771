package sandbox_test

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/process"
	"goalpost/backend/sandbox"
)

// cloned makes a repository of the user.
func cloned(tb testing.TB, dir, text string) {
	tb.Helper()
	for _, name := range []string{"HEAD", "config", "hooks/pre-commit"} {
		write(tb, filepath.Join(dir, ".git", name), text, 0o755)
	}
}

// TestCheckAfterARepositoryIsGone: what the user removes from the goal's folder keeps
// no check from running, and none makes it again. What comes back while a check runs is
// covered in its sandbox.
func TestCheckAfterARepositoryIsGone(t *testing.T) {
	for name, c := range map[string]struct {
		gone   string // what is removed
		put    string // by the agent, in its place
		widens bool
	}{
		"a repository":                {gone: "sub/.git"},
		"the folder that it is in":    {gone: "sub"},
		"one above, and another":      {gone: "above", put: `mkdir "$1"`},
		"a link in its place":         {gone: "above", put: `ln -s /etc "$1"`},
		"a file in its place":         {gone: "above/sub", put: `touch "$1"`},
		"in a folder that is granted": {gone: "above", widens: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := walls(t)
			dir := w.Dir
			if c.widens {
				dir = filepath.Join(filepath.Dir(w.Home), "granted")
			}
			cloned(t, filepath.Join(dir, "sub"), "old\n")
			cloned(t, filepath.Join(dir, "above", "sub"), "old\n")
			s := enclose(t, w)
			if c.widens {
				if _, err := s.Grant(t.Context(), sandbox.RuntimeGrant{Write: dir}); err != nil {
					t.Fatal(err)
				}
			}
			gone, away := filepath.Join(dir, c.gone), filepath.Join(filepath.Dir(w.Layer), "away")
			if err := os.Rename(gone, away); err != nil {
				t.Fatal(err)
			}
			if text, status := output(t, s, inside(w, c.put, gone)); status.Code != 0 {
				t.Fatalf("%s %v", text, status)
			}
			if text, status := output(t, s, check(w, "echo fine")); text != "fine\n" || status.Code != 0 {
				t.Errorf("without it: %q %v", text, status)
			}
			if there(filepath.Join(gone, "sub"))() || c.put == "" && there(gone)() {
				t.Error("a check made it again")
			}

			repo := filepath.Join(dir, "sub")
			if strings.HasPrefix(c.gone, "above") {
				repo = filepath.Join(dir, c.gone, strings.TrimPrefix("above/sub", c.gone))
			}
			git := filepath.Join(repo, ".git")
			judge := check(w,
				`echo begun; for f in config hooks/pre-commit; do until [ "$(cat "$1/$f" 2>/dev/null)" = old ]; do :; done; echo evil > "$1/$f"; cat "$1/$f"; done`)
			judge.Argv = append(judge.Argv, git)
			whileRunning(t, s, judge, "begun\n", "evil\nevil\n", func() error {
				var errs []error
				for _, name := range []string{"config", "hooks/pre-commit"} { // so that it is not taken for the copy
					path, err := filepath.Rel(gone, filepath.Join(git, name))
					errs = append(errs, err, os.WriteFile(filepath.Join(away, path), []byte("new\n"), 0o755))
				}
				return errors.Join(append(errs, os.RemoveAll(gone), os.Rename(away, gone))...)
			})
			for _, name := range []string{"config", "hooks/pre-commit"} {
				if text, err := os.ReadFile(filepath.Join(git, name)); err != nil || string(text) != "new\n" {
					t.Errorf("the real %s became %q, %v", name, text, err)
				}
			}
		})
	}
}

// TestCheckHoldsWhereARepositoryIsGone: a held file is in a layer, and what was removed
// from below it is neither wanted nor made.
func TestCheckHoldsWhereARepositoryIsGone(t *testing.T) {
	w := walls(t)
	above, away := filepath.Join(w.Dir, "above"), filepath.Join(filepath.Dir(w.Layer), "away")
	held := process.FileOverride{
		Path: write(t, filepath.Join(above, "test"), "real\n", 0o644),
		Copy: write(t, filepath.Join(filepath.Dir(w.Layer), "held"), "real\n", 0o444),
	}
	config := filepath.Join(above, "sub", ".git", "config")
	cloned(t, filepath.Join(above, "sub"), "old\n")
	s := enclose(t, w)
	if err := os.Rename(above, away); err != nil {
		t.Fatal(err)
	}
	if text, status := output(t, s, check(w, "cat above/test; ls above", held)); text != "real\ntest\n" ||
		status.Code != 0 || there(above)() {
		t.Errorf("without it: %q %v", text, status)
	}
	if err := errors.Join(os.Rename(away, above), os.WriteFile(config, []byte("new\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if text, status := output(t, s, check(w, "cat "+config+" above/test; echo evil > "+config,
		held)); text != "old\nreal\n" || status.Code != 0 || !holds(config, "new")() {
		t.Errorf("when it is back: %q %v", text, status)
	}
}

// whileRunning does something once a program says that it has begun.
func whileRunning(tb testing.TB, s *sandbox.Supervisor, c process.Command, begun, rest string, do func() error) {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Close()
	c.Files = []*os.File{nil, w, w}
	p, err := s.Start(tb.Context(), c)
	if err := errors.Join(err, w.Close()); err != nil {
		tb.Fatal(err)
	}
	said := bufio.NewReader(r)
	if line, err := said.ReadString('\n'); line != begun {
		tb.Fatal(line, err)
	}
	if err := do(); err != nil {
		tb.Fatal(err)
	}
	wait(tb, p)
	var text strings.Builder
	if _, err := said.WriteTo(&text); err != nil || text.String() != rest || p.Status().Code != 0 {
		tb.Errorf("%q, %v, %v", &text, p.Status(), err)
	}
}

// TestCheckWhereARepositoryWasMoved: where the goal sees it in another place nothing
// covers it, and no check runs until that has been put right.
func TestCheckWhereARepositoryWasMoved(t *testing.T) {
	w := walls(t)
	sub := filepath.Join(w.Dir, "sub")
	cloned(t, sub, "old\n")
	s := enclose(t, w)
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	runs := func() {
		t.Helper()
		if text, status := output(t, s, check(w, "echo fine")); text != "fine\n" || status.Code != 0 {
			t.Errorf("%q %v", text, status)
		}
	}
	refused := func(why string, held ...process.FileOverride) {
		t.Helper()
		if _, err := s.Start(t.Context(), check(w, "echo evil > moved/.git/config", held...)); err == nil ||
			!strings.Contains(err.Error(), why) {
			t.Errorf("a check began, %v; want %q", err, why)
		}
	}
	outside := filepath.Join(filepath.Dir(w.Layer), "away")
	for _, name := range []string{"moved", "moved (deleted)"} {
		to := filepath.Join(w.Dir, name)
		move(sub, to)
		refused("/sub was moved to " + to + " while the goal runs")
		cloned(t, sub, "another\n") // in its place
		refused("/sub was moved to " + to + " while the goal runs")
		move(to, outside)
		runs()
		if err := os.RemoveAll(outside); err != nil {
			t.Fatal(err)
		}
	}
	move(sub, outside)
	refused("/sub/.git was removed, and ", process.FileOverride{
		Path: filepath.Join(sub, ".git", "HEAD"),
		Copy: "/etc/passwd",
	})
	move(outside, sub)
	runs()
}
