package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// fixture is a folder with an archive of its own.
type fixture struct {
	testing.TB

	dir     string
	private string
	archive *Archive
}

func newFixture(t testing.TB, hidden ...string) *fixture {
	t.Helper()
	f := &fixture{TB: t, dir: t.TempDir(), private: filepath.Join(t.TempDir(), "snapshot")}
	if fast, err := os.MkdirTemp("/dev/shm", "snapshot"); err == nil { // memory makes each fsync cheap
		t.Cleanup(func() { unlock(fast); _ = os.RemoveAll(fast) })
		f.dir, f.private = filepath.Join(fast, "dir"), filepath.Join(fast, "private")
		f.must(os.Mkdir(f.dir, 0o755))
	}
	f.reopen(hidden...)
	return f
}

// reopen opens the archive from what is on the disk.
func (f *fixture) reopen(hidden ...string) {
	f.Helper()
	if f.archive != nil {
		f.must(f.archive.Close())
	}
	a, err := Open(Options{Dir: f.dir, Private: f.private, Hidden: hidden})
	f.must(err)
	f.archive = a
	f.Cleanup(func() { f.must(a.Close()) })
}

func (f *fixture) must(errs ...error) {
	f.Helper()
	if err := errors.Join(errs...); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) at(path string) string { return filepath.Join(f.dir, filepath.FromSlash(path)) }

func (f *fixture) write(path, content string) {
	f.Helper()
	f.must(os.MkdirAll(filepath.Dir(f.at(path)), 0o755), os.WriteFile(f.at(path), []byte(content), 0o644))
}

func (f *fixture) read(path string) string {
	f.Helper()
	b, err := os.ReadFile(f.at(path))
	if err != nil {
		return "error: " + err.Error()
	}
	return string(b)
}

func (f *fixture) take(kind Kind, step int) {
	f.Helper()
	f.must(f.archive.Take(context.Background(), kind, step))
}

func (f *fixture) restore(q Request) *Outcome {
	f.Helper()
	out, err := f.archive.Restore(context.Background(), q)
	f.must(err)
	return out
}

// skipped returns the paths that a restoration left unchanged, with the reasons.
func skipped(o *Outcome) string {
	var list []string
	for _, s := range o.Skipped {
		list = append(list, s.Path+": "+s.Why)
	}
	return strings.Join(list, "; ")
}

func (f *fixture) changes(n int) string {
	f.Helper()
	c, err := f.archive.Compare(context.Background(), n)
	f.must(err)
	var list []string
	for _, one := range c.Files() {
		mark := "~"
		switch {
		case one.Before == nil:
			mark = "+"
		case one.After == nil:
			mark = "-"
		}
		if one.EditedSince {
			mark += "!"
		}
		list = append(list, mark+Display(one.Path))
	}
	return strings.Join(list, " ")
}

// tree describes everything below dir that want accepts: mode, and content or target.
func tree(t testing.TB, dir string, want func(path string) bool) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		if err != nil || rel == "." || !want(rel) {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			content, err = os.Readlink(path)
		case info.Mode().IsRegular():
			var b []byte
			b, err = os.ReadFile(path)
			content = string(b)
		}
		found[rel] = info.Mode().String() + " " + content
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// difference returns the paths at which two trees differ.
func difference(a, b map[string]string) string {
	var list []string
	for path := range a {
		if a[path] != b[path] {
			list = append(list, fmt.Sprintf("%q: %.60q, now %.60q", path, a[path], b[path]))
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			list = append(list, fmt.Sprintf("%q is new: %.60q", path, b[path]))
		}
	}
	slices.Sort(list)
	return strings.Join(list, "\n")
}

func all(string) bool { return true }

func TestRestore_EverythingThatShellsDo_IsBroughtBack(t *testing.T) {
	f := newFixture(t)
	f.write("src/a.txt", "one\n")
	f.write("src/deep/b.txt", "two\n")
	f.write("run.sh", "#!/bin/sh\n")
	f.write("odd \xff\n\"name", "odd\n")
	f.write(".gitattributes", "* text eol=crlf filter=evil\n")
	f.write("lines.txt", "a\r\nb\n")
	f.write("large.bin", strings.Repeat("large\x00", 1<<20))
	f.must(os.Chmod(f.at("run.sh"), 0o755), os.Symlink("../outside", f.at("link")), os.Mkdir(f.at("empty"), 0o711))
	before := tree(t, f.dir, all)
	f.take(Start, 0)

	f.must(os.RemoveAll(f.at("src")), os.WriteFile(f.at("src"), []byte("a file now"), 0o600))
	f.must(os.Remove(f.at("link")), os.Symlink("/etc", f.at("link")), os.Chmod(f.at("run.sh"), 0o600))
	f.must(os.Remove(f.at("empty")), os.Remove(f.at("odd \xff\n\"name")), os.Truncate(f.at("large.bin"), 10))
	f.write("lines.txt", "a\nb\n")
	f.write("new/in/er.txt", "new\n")
	after := tree(t, f.dir, all)
	f.take(End, 9)
	f.reopen()
	const want = `-empty ~large.bin ~lines.txt ~link +new/in/er.txt -"odd \xff\n\"name" ~run.sh ~src -src/a.txt ` +
		`-src/deep/b.txt`
	if got := f.changes(0); got != want {
		t.Errorf("changes are\n%s, want\n%s", got, want)
	}

	out := f.restore(Request{To: 0})
	if d := difference(before, tree(t, f.dir, all)); d != "" || len(out.Skipped) > 0 {
		t.Errorf("after undo: %s\nskipped: %s", d, skipped(out))
	}
	n, ok := f.archive.LastUndo()
	if !ok || n != out.Saved {
		t.Fatalf("the last undo saved %d %v, want %d", n, ok, out.Saved)
	}
	f.reopen()
	again := f.restore(Request{To: n, Redo: true})
	if d := difference(after, tree(t, f.dir, all)); d != "" || len(again.Skipped) > 0 {
		t.Errorf("after redo: %s\nskipped: %s", d, skipped(again))
	}
	if _, ok := f.archive.LastUndo(); ok {
		t.Error("an undo that was undone can be undone again")
	}
}

func TestRestore_EditsOfOthers_AreLeftAlone(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"agent", "both", "between", "kept"} {
		f.write(name, "start")
	}
	f.take(Start, 0)
	for _, name := range []string{"agent", "both", "between"} {
		f.write(name, "by the agent")
	}
	f.write("dir/new", "by the agent")
	f.take(End, 1)
	f.write("between", "by the user, between two runs")
	f.take(Resume, 1)
	f.write("agent", "by the agent, again")
	f.take(End, 2)
	f.write("both", "by the user")
	f.write("dir/mine", "by the user")
	if got, want := f.changes(0), "~agent ~!between ~!both +!dir/mine +dir/new"; got != want {
		t.Errorf("changes are %s, want %s", got, want)
	}

	plan := f.restore(Request{To: 0, DryRun: true})
	if f.read("agent") != "by the agent, again" {
		t.Error("a dry run changed a file")
	}
	out := f.restore(Request{To: 0})
	const want = "between: edited later, not by this goal; both: edited later, not by this goal; " +
		"dir/mine: edited later, not by this goal"
	if skipped(out) != want || skipped(plan) != want {
		t.Errorf("skipped %s\nplanned %s\nwant %s", skipped(out), skipped(plan), want)
	}
	for path, want := range map[string]string{
		"agent": "start", "both": "by the user", "between": "by the user, between two runs", "dir/mine": "by the user",
		"kept": "start",
	} {
		if got := f.read(path); got != want {
			t.Errorf("%s is %q, want %q", path, got, want)
		}
	}
	if _, err := os.Lstat(f.at("dir/new")); err == nil {
		t.Error("dir/new is still there")
	}
	forced := f.restore(Request{To: 0, Paths: []string{"both", "dir"}, Force: []string{"both"}})
	if got := f.read("both"); got != "start" || skipped(forced) != "dir/mine: edited later, not by this goal" {
		t.Errorf("forced: both is %q, skipped %s", got, skipped(forced))
	}
	back := f.restore(Request{To: forced.Saved, Redo: true})
	if got := f.read("both"); got != "by the user" || len(back.Skipped) > 0 {
		t.Errorf("after redo: both is %q, skipped %s", got, skipped(back))
	}
}

func TestRestore_ToStep_KeepsEarlierSteps(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	f.take(Start, 0)
	f.write("a", "1")
	f.take(Step, 3)
	f.take(Step, 4) // nothing changed: not recorded
	f.write("a", "2")
	f.write("b", "2")
	f.take(End, 7)
	list := f.archive.Checkpoints()
	if len(list) != 3 || list[1].Step != 3 || list[2].Kind != End {
		t.Fatalf("checkpoints are %+v", list)
	}
	f.restore(Request{To: 1})
	if f.read("a") != "1" || f.changes(1) != "" || f.changes(0) != "~a" {
		t.Errorf("a is %q, changes since step 3: %s", f.read("a"), f.changes(1))
	}
}

func TestRestore_OnePath_LeavesTheRest(t *testing.T) {
	f := newFixture(t)
	f.write("d/e/a", "0")
	f.write("d/b", "0")
	f.must(os.Chmod(f.at("d"), 0o750))
	f.take(Start, 0)
	f.must(os.RemoveAll(f.at("d")))
	f.take(End, 1)
	out := f.restore(Request{To: 0, Paths: []string{"./d/e/a"}})
	info, err := os.Stat(f.at("d"))
	f.must(err)
	if f.read("d/e/a") != "0" || info.Mode().Perm() != 0o750 || f.changes(0) != "-d/b" {
		t.Errorf("skipped %s, mode %s, changes %s", skipped(out), info.Mode(), f.changes(0))
	}
}

func TestRestore_LinkSwappedIn_IsNotFollowed(t *testing.T) {
	f := newFixture(t)
	outside := t.TempDir()
	f.must(os.WriteFile(filepath.Join(outside, "a"), []byte("outside"), 0o644))
	f.write("d/a", "start")
	f.take(Start, 0)
	f.must(os.RemoveAll(f.at("d")), os.Symlink(outside, f.at("d")))
	if c := f.changes(0); c != "~!d -!d/a" {
		t.Errorf("changes are %s", c)
	}
	f.take(End, 1)
	f.restore(Request{To: 0})
	b, err := os.ReadFile(filepath.Join(outside, "a"))
	f.must(err)
	if string(b) != "outside" || f.read("d/a") != "start" {
		t.Errorf("outside is %q, d/a is %q", b, f.read("d/a"))
	}
	// a link that is swapped in after the scan: the write does not follow it
	f.write("d/a", "by the agent")
	f.take(End, 2)
	q := Request{To: 0}
	f.archive.mu.Lock()
	_, work := f.archive.plan(q, func() state {
		f.must(f.archive.take(t.Context(), record{Kind: BeforeUndo}))
		return f.archive.last
	}())
	f.archive.mu.Unlock()
	f.must(os.RemoveAll(f.at("d")), os.Symlink(outside, f.at("d")))
	var o Outcome
	f.must(work.run(t.Context(), &o))
	b, err = os.ReadFile(filepath.Join(outside, "a"))
	f.must(err)
	if string(b) != "outside" || !strings.Contains(skipped(&o), "link") {
		t.Errorf("outside is %q, skipped %s", b, skipped(&o))
	}
}

func TestTake_WhatIsLeftOut_IsNamedAndNotTouched(t *testing.T) {
	f := newFixture(t, "secret")
	f.write(".gitignore", "/build/\n/cache/\n*.log\n")
	f.write("build/small", "1")
	for i := range maxIgnoredEntries + 1 {
		f.write(fmt.Sprintf("cache/%d", i), "x")
	}
	f.write("node_modules/x/index.js", "x")
	f.write("sub/.git/HEAD", "ref: x")
	f.write("sub/file", "x")
	f.write("secret/key", "x")
	f.write("a.log", "1")
	f.must(os.Truncate(f.at("a.log"), maxIgnoredBytes+1))
	f.must(syscall.Mkfifo(f.at("pipe"), 0o600))
	f.take(Start, 0)
	c, err := f.archive.Compare(t.Context(), 0)
	f.must(err)
	var left []string
	for _, e := range c.LeftOut {
		left = append(left, string(e.Path)+": "+e.LeftOut)
	}
	const want = "a.log: ignored, and larger than 8 MiB; cache: ignored, with more than 500 entries or 8 MiB; " +
		"node_modules: filled by programs; pipe: neither a file, a folder nor a link; " +
		"sub/.git: git's own folder is not touched"
	if got := strings.Join(left, "; "); got != want {
		t.Errorf("left out:\n%s, want\n%s", got, want)
	}
	f.write("build/small", "2")
	f.write("secret/key", "2")
	f.write("cache/0", "2")
	f.write("sub/.git/HEAD", "2")
	// a new rule hides nothing from the comparison
	f.write(".gitignore", "*\n")
	f.write("hidden.txt", "by the agent")
	f.take(End, 1)
	if got := f.changes(0); got != "~.gitignore ~build/small +hidden.txt" {
		t.Errorf("changes are %s", got)
	}
	f.restore(Request{To: 0})
	got := strings.Join([]string{
		f.read("build/small"), f.read("secret/key"), f.read("cache/0"), f.read("sub/.git/HEAD"),
	}, " ")
	if got != "1 2 2 2" || f.changes(0) != "" {
		t.Errorf("contents are %s, changes %s", got, f.changes(0))
	}
}

func TestTake_NoSpace_StillCompares(t *testing.T) {
	f := newFixture(t)
	free := uint64(minFreeBytes)
	a, err := Open(Options{Dir: f.dir, Private: f.private, Free: func() (uint64, error) { return free, nil }})
	f.must(err)
	f.archive = a
	f.write("a", "start")
	f.take(Start, 0)
	f.write("a", "later")
	f.write("b", "new")
	f.take(End, 1)
	out := f.restore(Request{To: 0})
	const want = "a: its earlier content was too large to be saved; b: its present content is too large to be saved"
	if f.changes(0) != "~a +b" || skipped(out) != want {
		t.Errorf("changes %s, skipped %s", f.changes(0), skipped(out))
	}
	if f.restore(Request{To: 0, Force: []string{"b"}}); f.changes(0) != "~a" {
		t.Errorf("forced: changes %s", f.changes(0))
	}
}

func TestOpen_TornLog_DropsTheLastLine(t *testing.T) {
	f := newFixture(t)
	f.write("a", "0")
	f.take(Start, 0)
	f.write("a", "1")
	f.take(Step, 1)
	b, err := os.ReadFile(filepath.Join(f.private, "log.jsonl"))
	f.must(err)
	f.must(os.WriteFile(filepath.Join(f.private, "log.jsonl"), b[:len(b)-5], 0o600))
	r, err := Read(Options{Dir: f.dir, Private: f.private})
	f.must(err)
	if n := len(r.Checkpoints()); n != 1 {
		t.Errorf("reading finds %d snapshots", n)
	}
	f.reopen()
	f.write("a", "2")
	f.take(Step, 2)
	f.reopen()
	if n := len(f.archive.Checkpoints()); n != 2 || f.changes(1) != "" || f.changes(0) != "~a" {
		t.Errorf("%d snapshots; changes %s", n, f.changes(0))
	}
	if _, err := Read(Options{Dir: f.dir, Private: t.TempDir()}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading nothing: %v", err)
	}
}

func TestContent_DamagedPack_IsRefused(t *testing.T) {
	f := newFixture(t)
	f.write("a", "start")
	f.take(Start, 0)
	f.write("a", "later")
	f.take(End, 1)
	p := filepath.Join(f.private, "pack")
	b, err := os.ReadFile(p)
	f.must(err)
	b[0] ^= 1
	f.must(os.WriteFile(p, b, 0o600))
	out := f.restore(Request{To: 0})
	if f.read("a") != "later" || skipped(out) != "a: its saved content is damaged" {
		t.Errorf("a is %q, skipped %s", f.read("a"), skipped(out))
	}
	if entries, err := os.ReadDir(f.dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v %v", entries, err)
	}
}

func TestPatch_OfEachKind_IsWhatGitApplies(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	f := newFixture(t)
	f.write("changed", "one\ntwo\nthree\n")
	f.write("gone", "x\n")
	f.write("no end", "x")
	f.write("script", "x\n")
	f.write("odd\tname", "x\n")
	f.must(os.Symlink("here", f.at("link")))
	f.take(Start, 0)
	copied := t.TempDir()
	f.must(os.CopyFS(copied, os.DirFS(f.dir)))
	f.write("changed", "one\n2\nthree\n")
	f.write("no end", "y")
	f.write("new/file", "new\n")
	f.write("odd\tname", "y\n")
	f.must(os.Remove(f.at("gone")), os.Chmod(f.at("script"), 0o755))
	f.must(os.Remove(f.at("link")), os.Symlink("there", f.at("link")))
	c, err := f.archive.Compare(t.Context(), 0)
	f.must(err)
	var patch strings.Builder
	for _, one := range c.Files() {
		before, after, ok := f.archive.Texts(one)
		if !ok {
			t.Errorf("%s is not text", one.Path)
		}
		patch.WriteString(Patch(one, before, after, ok))
	}
	cmd := exec.CommandContext(t.Context(), "git", "apply", "-")
	cmd.Dir, cmd.Stdin = copied, strings.NewReader(patch.String())
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v %s\n%s", err, b, patch.String())
	}
	if d := difference(tree(t, f.dir, all), tree(t, copied, all)); d != "" {
		t.Errorf("git apply makes something else: %s\n%s", d, patch.String())
	}
	if added, removed := CountLines(Hunks([]byte("a\nb\n"), []byte("a\nc\nd\n"))); added != 2 || removed != 1 {
		t.Errorf("%d added, %d removed", added, removed)
	}
}

func TestTake_NamesAndContents_ComeBackByteForByte(t *testing.T) {
	f := newFixture(t)
	var want [256]byte
	for i := range want {
		want[i] = byte(i)
	}
	f.write("bytes", string(want[:]))
	f.take(Start, 0)
	c := f.archive.last["bytes"]
	got, err := f.archive.Content(c, 1000)
	f.must(err)
	if !bytes.Equal(got, want[:]) {
		t.Errorf("content is %x", got)
	}
	if _, err := f.archive.Content(c, 10); err == nil {
		t.Error("a content longer than the limit is read")
	}
	if keys := slices.Collect(maps.Keys(f.archive.last)); len(keys) != 1 {
		t.Errorf("the state has %q", keys)
	}
}

// TestRedo_AfterTwoUndos_RestoresBoth: each redo restores what one undo reverted, the newest first.
func TestRedo_AfterTwoUndos_RestoresBoth(t *testing.T) {
	f := newFixture(t)
	f.write("a", "start")
	f.write("mine", "start")
	f.take(Start, 0)
	f.write("a", "by the agent")
	f.write("b", "by the agent")
	f.write("dir/c", "by the agent")
	f.take(End, 1)
	f.write("mine", "by the user")
	check := func(what, wantUndone string, wantAll, wantRedo bool) {
		t.Helper()
		f.reopen()
		changes, isAll := f.archive.Undone()
		undone := ""
		for _, c := range changes {
			undone += c.Path + " "
		}
		if _, ok := f.archive.LastUndo(); undone != wantUndone || isAll != wantAll || ok != wantRedo {
			t.Errorf("after %s: %q is undone, all %v, redo %v", what, undone, isAll, ok)
		}
	}
	redo := func(paths ...string) {
		t.Helper()
		n, _ := f.archive.LastUndo()
		f.restore(Request{To: n, Redo: true, Paths: paths})
	}
	check("no undo", "", false, false)
	f.restore(Request{Paths: []string{"a"}})
	check("an undo of one file", "a ", false, true)
	f.restore(Request{})
	check("an undo of all", "a b dir/c ", true, true)
	redo("b")
	check("a redo of one file", "a dir/c ", false, true)
	redo()
	check("a redo", "a ", false, true)
	redo()
	check("a second redo", "", false, false)
	f.restore(Request{Paths: []string{"b"}})
	check("another undo", "b ", false, true)
	f.write("b", "by the agent, again")
	f.take(End, 2)
	check("another run", "", false, false)
	if got := f.read("mine"); got != "by the user" {
		t.Errorf("an edit of the user became %q", got)
	}
}
