package verify_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/core/verify"
	"goalpost/backend/storage/snapshot"
)

// world opens a folder state whose start is the folder's present state.
func world(t testing.TB, o verify.Options) *verify.FolderState {
	t.Helper()
	if o.Private == "" {
		o.Private = filepath.Join(t.TempDir(), "private")
	}
	w, err := verify.OpenFolderState(t.Context(), o)
	must(t, err)
	archive, err := snapshot.Open(snapshot.Options{Dir: o.Dir, Private: o.Private, Hidden: o.HiddenNames()})
	must(t, err)
	if len(archive.Checkpoints()) == 0 {
		must(t, archive.Take(t.Context(), snapshot.Start, 0))
	}
	w.ListChangesOf(archive)
	return w
}

func changed(t *testing.T, w *verify.FolderState) string {
	t.Helper()
	s, err := w.Changed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func diffOf(t *testing.T, w *verify.FolderState) string {
	t.Helper()
	s, err := w.Diff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestChanged_EachDifference_IsListed also checks a folder state that is opened after a restart.
func TestChanged_EachDifference_IsListed(t *testing.T) {
	dir, private := t.TempDir(), filepath.Join(t.TempDir(), "private")
	write(t, dir, "a.txt", "one\ntwo\nthree\n")
	write(t, dir, "sub/b.txt", "b\n")
	write(t, dir, "sub/gone.txt", "gone\n")
	write(t, dir, "picture", "\x89PNG\x00\x01")
	must(t, os.Symlink("a.txt", filepath.Join(dir, "link")))
	w := world(t, verify.Options{Dir: dir, Private: private})
	if s := changed(t, w) + diffOf(t, w); s != "" {
		t.Fatalf("at the start: %q", s)
	}
	write(t, dir, "a.txt", "one\n2\nthree\n")
	write(t, dir, "new/c.txt", "c\n")
	write(t, dir, "empty", "")
	write(t, dir, "picture", "\x89PNG\x00\x02")
	must(t, os.Remove(filepath.Join(dir, "sub/gone.txt")), os.Chmod(filepath.Join(dir, "sub/b.txt"), 0o755),
		os.Remove(filepath.Join(dir, "link")), os.Symlink("/etc/passwd", filepath.Join(dir, "link")))
	for name, w := range map[string]*verify.FolderState{
		"the same":        w,
		"after a restart": world(t, verify.Options{Dir: dir, Private: private}),
	} {
		if got, want := changed(t, w), "Changed a.txt, link, picture, sub/b.txt. Created empty, new/c.txt. "+
			"Removed sub/gone.txt"; got != want {
			t.Errorf("%s: %q", name, got)
		}
		got := diffOf(t, w)
		for _, want := range []string{
			"--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
			"--- (new)\n+++ new/c.txt\n@@ -0,0 +1,1 @@\n+c\n", "empty: new and empty\n",
			"--- sub/gone.txt\n+++ (removed)\n", "sub/b.txt: mode -rwxr-xr-x, was -rw-r--r--\n",
			"picture: changed, 6 bytes, was 6 (not text", "-a link to a.txt\n+a link to /etc/passwd\n",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the diff lacks %q:\n%s", name, want, got)
			}
		}
		if strings.Contains(got, "root:") {
			t.Error("a link was followed out of the folder")
		}
	}
	write(t, dir, "a.txt", "one\ntwo\nthree\n")
	if s := changed(t, w); strings.Contains(s, "a.txt") {
		t.Errorf("an edit and its revert: %q", s)
	}
}

func TestChanged_ManyDifferences_AreBounded(t *testing.T) {
	dir := t.TempDir()
	w := world(t, verify.Options{Dir: dir})
	write(t, dir, "one", "1")
	if s := changed(t, w); s != "Created one" {
		t.Errorf("%q", s)
	}
	for i := range 30 {
		write(t, dir, fmt.Sprintf("f%02d", i), strings.Repeat("line\n", 20000))
	}
	if s := changed(t, w); !strings.HasPrefix(s, "Created f00, ") || !strings.HasSuffix(s, ", and 21 more") {
		t.Errorf("%q", s)
	}
	if d := diffOf(t, w); len(d) > 1100<<10 || !strings.Contains(d, "left out") {
		t.Errorf("the diff has %d bytes", len(d))
	}
	write(t, dir, "wide", strings.Repeat("x", 500<<10))
	for i := range 30 {
		must(t, os.Remove(filepath.Join(dir, fmt.Sprintf("f%02d", i))))
	}
	if d := diffOf(t, w); len(d) > 2000 || !strings.Contains(d, "x…\n") {
		t.Errorf("a long line makes a diff of %d bytes", len(d))
	}
}

// TestChanged_FilesIgnoredAtTheStart_AreLeftOut: an agent cannot hide its changes with a rule of its own.
func TestChanged_FilesIgnoredAtTheStart_AreLeftOut(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".gitignore", "# logs\n*.log\n!keep.log\n/out/\nsecret\\ \n\n[ab].tmp\n**/deep/*.x\n")
	write(t, dir, "sub/.gitignore", "local\n")
	for _, p := range []string{
		"x.log", "keep.log", "out/o", "sub/out/o", "sub/local", "a.tmp", "c.tmp", "p/deep/f.x",
		"node_modules/m/index.js", ".git/HEAD", "other/local",
	} {
		write(t, dir, p, "1")
	}
	w := world(t, verify.Options{Dir: dir})
	first, _, err := w.Fingerprint(t.Context())
	must(t, err)
	for _, p := range []string{
		"x.log", "keep.log", "out/o", "sub/out/o", "sub/local", "a.tmp", "c.tmp", "p/deep/f.x",
		"node_modules/m/index.js", ".git/HEAD", "other/local",
	} {
		write(t, dir, p, "2")
	}
	if got, want := changed(t, w), "Changed c.tmp, keep.log, other/local, sub/out/o; 5 ignored files changed; "+
		"not compared: node_modules (filled by programs)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, p := range []string{"c.tmp", "keep.log", "other/local", "sub/out/o"} {
		write(t, dir, p, "1")
	}
	if same, _, err := w.Fingerprint(t.Context()); err != nil || same != first {
		t.Errorf("what is ignored moved the fingerprint: %v", err)
	}
	write(t, dir, "node_modules/m/more.js", "")
	if same, _, err := w.Fingerprint(t.Context()); err != nil || same == first {
		t.Errorf("a new package did not move the fingerprint: %v", err)
	}
	write(t, dir, "hidden/.gitignore", "*\n")
	write(t, dir, "hidden/cheat.txt", "x")
	if s := changed(t, w); !strings.Contains(s, "Created hidden/.gitignore, hidden/cheat.txt") {
		t.Errorf("a rule of the agent hid its file: %q", s)
	}
}

func TestFingerprint_EachChange_IsNoticed(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a", "1")
	shows := "http://x/ 1"
	var fault error
	w := world(t, verify.Options{Dir: dir})
	w.WatchPages(func(context.Context) (string, error) { return shows, fault })
	print := func() string {
		s, _, err := w.Fingerprint(t.Context())
		must(t, err)
		return s
	}
	seen := map[string]string{}
	movement := func(what string) {
		t.Helper()
		if now := print(); seen[now] != "" {
			t.Errorf("%s is the same as %s", what, seen[now])
		} else {
			seen[now] = what
		}
	}
	movement("the start")
	if p := print(); seen[p] != "the start" {
		t.Error("nothing is something")
	}
	write(t, dir, "a", "2")
	movement("an edit of the same length")
	write(t, dir, "b", "")
	movement("a new file")
	must(t, os.Chmod(filepath.Join(dir, "b"), 0o600))
	movement("another mode")
	must(t, os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	movement("a new folder")
	must(t, os.Symlink("a", filepath.Join(dir, "link")))
	movement("a link")
	write(t, dir, "big", strings.Repeat("x", 2<<20))
	movement("a big file")
	write(t, dir, "big", strings.Repeat("y", 2<<20))
	movement("a big file of the same length")
	shows = "http://x/ 2"
	movement("another page")
	for _, name := range []string{"b", "folder", "link", "big"} {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	shows = "http://x/ 1"
	write(t, dir, "a", "1")
	if p := print(); seen[p] != "the start" {
		t.Error("an edit and its revert is movement")
	}
	fault = errors.New("the page is gone")
	if _, _, err := w.Fingerprint(t.Context()); !errors.Is(err, fault) {
		t.Errorf("%v", err)
	}
}

// TestChanged_ManyFiles_AreListed: the report and the diff compare as many files as an undo restores, and the
// fingerprint shows their changes.
func TestChanged_ManyFiles_AreListed(t *testing.T) {
	if testing.Short() {
		t.Skip("it makes 20,001 files")
	}
	dir := t.TempDir()
	for i := range 20 {
		must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("d%d", i)), 0o700))
		for j := range 1000 {
			must(t, os.Symlink("x", filepath.Join(dir, fmt.Sprintf("d%d/%d", i, j)))) // a link is the fastest entry to make
		}
	}
	w := world(t, verify.Options{Dir: dir})
	// The fingerprint also covers the entries after the first 20,000.
	last := "zz/last"
	prints := map[string]string{}
	for _, what := range []string{"the start", "a new file", "an edit of the same length", "gone"} {
		switch what {
		case "a new file":
			write(t, dir, last, "1")
		case "an edit of the same length":
			write(t, dir, last, "2")
		case "gone":
			must(t, os.RemoveAll(filepath.Join(dir, "zz")))
		}
		isThere := strings.Contains(what, "file") || strings.Contains(what, "edit")
		if s := changed(t, w); (s == "Created zz/last") != isThere || (s == "") == isThere {
			t.Errorf("%s: %q", what, s)
		}
		print, unseen, err := w.Fingerprint(t.Context())
		if must(t, err); unseen != "" {
			t.Errorf("%s: %s", what, unseen)
		}
		if was := prints[print]; (was != "") != (what == "gone") {
			t.Errorf("%s looks like %q", what, was)
		}
		prints[print] = what
	}
}

func TestChanged_TooDeepFolder_IsReported(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", 150))
	must(t, os.MkdirAll(deep, 0o700))
	w := world(t, verify.Options{Dir: dir})
	write(t, dir, "new", "1")
	if s := changed(t, w); !strings.HasPrefix(s, "Created new; not compared: d/d/") ||
		!strings.HasSuffix(s, "(folders are nested too deep)") {
		t.Errorf("%q", s)
	}
}

// TestDiff_FolderSwappedForALink_StaysInside: a program replaces a folder with a link that leads out of the goal's
// folder. The diff must not contain anything from outside.
func TestDiff_FolderSwappedForALink_StaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, "f", "the secret\n")
	write(t, dir, "folder/f", "mine\n")
	must(t, os.Symlink(outside, filepath.Join(dir, "other")))
	private := filepath.Join(t.TempDir(), "private")
	w := world(t, verify.Options{Dir: dir, Private: private})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				swap(dir)
			}
		}
	}()
	for range 200 {
		if d := diffOf(t, w); strings.Contains(d, "secret") {
			t.Errorf("read outside: %s", d)
			break
		}
	}
	close(stop)
	<-done
}

func swap(dir string) {
	a, b, c := filepath.Join(dir, "folder"), filepath.Join(dir, "other"), filepath.Join(dir, "third")
	_ = errors.Join(os.Rename(a, c), os.Rename(b, a), os.Rename(c, b))
}

func TestCheckRunner_NoFolderState_KnowsNoChange(t *testing.T) {
	var w *verify.FolderState
	print, unseen, err := w.Fingerprint(t.Context())
	intact, err2 := w.Tampered(t.Context())
	shown, err3 := w.RecordShown(t.Context())
	if s := changed(t, w) + diffOf(t, w) + print + unseen + intact; s != "" || len(shown) > 0 ||
		errors.Join(err, err2, err3) != nil || w.Protected() != nil {
		t.Errorf("%q %v %v %v", s, err, err2, err3)
	}
}

func TestBaseline_Damaged_IsNotUsed(t *testing.T) {
	dir, private := t.TempDir(), filepath.Join(t.TempDir(), "private")
	world(t, verify.Options{Dir: dir, Private: private})
	must(t, os.WriteFile(filepath.Join(private, "baseline.json"), []byte("{"), 0o600))
	if _, err := verify.OpenFolderState(t.Context(), verify.Options{Dir: dir, Private: private}); err == nil {
		t.Error("a broken baseline is taken for one")
	}
	if _, err := verify.OpenFolderState(t.Context(), verify.Options{
		Dir:     filepath.Join(dir, "gone"),
		Private: filepath.Join(t.TempDir(), "p"),
	}); err == nil {
		t.Error("a folder that is not there is compared")
	}
}

// TestFingerprint_ContextCancelled_EndsAtOnce: an abort must not wait until every file has been read.
func TestFingerprint_ContextCancelled_EndsAtOnce(t *testing.T) {
	dir := t.TempDir()
	w := world(t, verify.Options{Dir: dir})
	write(t, dir, "a", "1")
	stopped := errors.New("the user aborted the goal")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stopped)
	if _, _, err := w.Fingerprint(ctx); !errors.Is(err, stopped) {
		t.Errorf("it ended with %v", err)
	}
}
