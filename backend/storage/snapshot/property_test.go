package snapshot

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// isOwn reports whether a path belongs to git, or is one that snapshots do not cover in these tests.
func isOwn(path string) bool {
	for part := range strings.SplitSeq(path, string(filepath.Separator)) {
		if part == ".git" || part == "node_modules" || part == "ignored-large" {
			return true
		}
	}
	return false
}

func covered(path string) bool { return !isOwn(path) }

func isGit(path string) bool {
	return strings.HasPrefix(path, ".git/") || strings.Contains(path, "/.git/") || strings.HasSuffix(path, ".git")
}

// excuse makes found what start is where something that is not covered is in a new folder: that stays, and so does
// the folder.
func excuse(t testing.TB, dir string, found, start map[string]string) (kept []string) {
	t.Helper()
	for own := range tree(t, dir, isOwn) {
		for path := range parents(own) {
			was, known := start[path]
			switch {
			case !known:
				delete(found, path)
			case strings.HasPrefix(found[path], "d") && was[0] != 'd':
				found[path] = was
				kept = append(kept, path)
			}
		}
	}
	return kept
}

// world changes a folder at random.
type world struct {
	*fixture
	r *rand.Rand
	n int
}

func (w *world) content() []byte {
	w.n++
	switch w.r.IntN(12) {
	case 0:
		return nil
	case 1:
		b := make([]byte, w.r.IntN(5000))
		for i := range b {
			b[i] = byte(w.r.Uint32())
		}
		return b
	case 2:
		return []byte(strings.Repeat(fmt.Sprintf("line %d\r\n", w.n), w.r.IntN(400)))
	}
	return fmt.Appendf(nil, "content %d\n", w.n)
}

var nameParts = []string{
	"a", "b", "cc", "dir", "x.txt", "y.go", "spa ce", "new\nline", "ü", "\xff\xfe", "-rf", "\"q\"", ".env", "deep",
}

func (w *world) name() string {
	parts := make([]string, 1+w.r.IntN(3))
	for i := range parts {
		parts[i] = nameParts[w.r.IntN(len(nameParts))]
	}
	return strings.Join(parts, "/")
}

// existing is a path of something that is there, "" if nothing is.
func (w *world) existing(want func(fs.FileInfo) bool) string {
	var list []string
	w.must(filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(w.dir, path)
		if err != nil || rel == "." || !covered(rel) {
			return err
		}
		if info, err := e.Info(); err == nil && want(info) {
			list = append(list, rel)
		}
		return nil
	}))
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return list[w.r.IntN(len(list))]
}

// change makes one random change. It ignores what the system refuses.
func (w *world) change() string {
	any := func(fs.FileInfo) bool { return true }
	file := func(i fs.FileInfo) bool { return i.Mode().IsRegular() }
	name := w.name()
	switch op := w.r.IntN(16); op {
	case 0, 1, 2:
		_ = os.MkdirAll(filepath.Dir(w.at(name)), 0o755)
		return fmt.Sprint("create ", name, os.WriteFile(w.at(name), w.content(), 0o644))
	case 3, 4:
		if name = w.existing(file); name != "" {
			_ = os.WriteFile(w.at(name), w.content(), 0o644)
		}
		return "edit " + name
	case 5:
		if name = w.existing(any); name != "" {
			_ = os.RemoveAll(w.at(name))
		}
		return "delete " + name
	case 6, 7:
		from := w.existing(any)
		if from == "" {
			return ""
		}
		_ = os.MkdirAll(filepath.Dir(w.at(name)), 0o755)
		return fmt.Sprint("rename ", from, " ", name, os.Rename(w.at(from), w.at(name)))
	case 8:
		if name = w.existing(func(i fs.FileInfo) bool { return i.Mode()&fs.ModeSymlink == 0 }); name != "" {
			modes := []fs.FileMode{0o755, 0o711, 0o555, 0o500, 0o600, 0o644, 0o400, 0o444}
			if info, err := os.Lstat(w.at(name)); err == nil && info.IsDir() {
				modes = modes[:4] // the test must be able to read the folder
			}
			_ = os.Chmod(w.at(name), modes[w.r.IntN(len(modes))])
		}
		return "chmod " + name
	case 9:
		targets := []string{"a", "../..", "/etc/passwd", ".", "nowhere", "\xff", w.dir}
		return fmt.Sprint("link ", name, os.Symlink(targets[w.r.IntN(len(targets))], w.at(name)))
	case 10:
		return fmt.Sprint("folder ", name, os.MkdirAll(w.at(name), 0o755))
	case 11:
		if w.r.IntN(8) > 0 {
			return ""
		}
		w.n++
		b := []byte(strings.Repeat(fmt.Sprintf("%08d", w.n), largeBytes/8+1))
		return fmt.Sprint("large ", os.WriteFile(w.at("large.bin"), b, 0o644))
	case 12: // a nested repository, and a submodule
		_ = os.MkdirAll(w.at(name+"/.git/objects"), 0o755)
		_ = os.WriteFile(w.at(name+"/.git/HEAD"), w.content(), 0o644)
		_ = os.MkdirAll(w.at("sub"), 0o755)
		_ = os.WriteFile(w.at("sub/.git"), []byte("gitdir: ../.git/modules/sub\n"), 0o644)
		return fmt.Sprint("nested ", name, os.WriteFile(w.at(name+"/file"), w.content(), 0o644))
	case 13:
		lines := []string{"*\n", "!*\n", "*.txt\n", "dir/\n", "/a\n", "[\n", ""}
		return fmt.Sprint("ignore ", os.WriteFile(w.at(".gitignore"), []byte(lines[w.r.IntN(len(lines))]), 0o644))
	case 14:
		if name = w.existing(file); name != "" { // a write to one hard link changes the other one, too
			return fmt.Sprint("hard link ", name, os.Link(w.at(name), w.at(w.name())))
		}
	case 15:
		_ = os.MkdirAll(w.at("node_modules/m"), 0o755)
		return fmt.Sprint("generated ", os.WriteFile(w.at("node_modules/m/i.js"), w.content(), 0o644))
	}
	return ""
}

// unlock makes the test's folder removable.
func unlock(dir string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o755) //nolint:gosec // of a test
		}
		return nil
	})
}

var sequences = flag.Int("sequences", 100,
	"random sequences of changes in TestRestore_AnyChanges_AreUndoneAndRedone; make restore gives 500")

// TestRestore_AnyChanges_AreUndoneAndRedone: each of many random sequences of changes is undone, redone and undone
// again.
func TestRestore_AnyChanges_AreUndoneAndRedone(t *testing.T) {
	runs := *sequences
	if testing.Short() {
		runs = 50
	}
	for seed := range runs {
		if ok := t.Run(fmt.Sprint(seed), func(t *testing.T) { undoRandomChanges(t, uint64(seed)) }); !ok {
			return
		}
	}
}

func undoRandomChanges(t *testing.T, seed uint64) {
	w := &world{fixture: newFixture(t), r: rand.New(rand.NewPCG(seed, 1))}
	t.Cleanup(func() { unlock(w.dir) })
	w.write(".git/HEAD", "ref: refs/heads/main\n")
	w.write(".git/index", "DIRC\x00\x01")
	w.write(".git/objects/ab/cdef", "object")
	if w.r.IntN(10) == 0 { // reading the large file is most of the cost
		w.write(".gitignore", "*.log\nignored-large/\n")
		for i := range 3 {
			w.write(fmt.Sprintf("ignored-large/%d", i), "x")
		}
		_ = os.Truncate(w.at("ignored-large/0"), maxIgnoredBytes+1)
	}
	for range 5 + w.r.IntN(20) {
		w.change()
	}
	start := tree(t, w.dir, covered)
	w.take(Start, 0)
	var done []string
	for i := range 1 + w.r.IntN(25) {
		done = append(done, w.change())
		if w.r.IntN(5) == 0 {
			w.take(Step, i)
		}
	}
	w.take(End, 99)
	if w.r.IntN(2) == 0 {
		w.reopen()
	}
	report := func(what, d string, o *Outcome, kept ...string) {
		o.Skipped = slices.DeleteFunc(o.Skipped, func(s Skipped) bool { return slices.Contains(kept, s.Path) })
		if d != "" || len(o.Skipped) > 0 {
			t.Fatalf("seed %d, after %s: %s\nskipped: %s\nchanges: %q", seed, what, d, skipped(o), done)
		}
	}
	end, git := tree(t, w.dir, covered), tree(t, w.dir, isGit)
	out := w.restore(Request{To: 0})
	now := tree(t, w.dir, covered)
	kept := excuse(t, w.dir, now, start)
	report("undo", difference(start, now), out, kept...)
	report("undo, in .git", difference(git, tree(t, w.dir, isGit)), out)
	if out.Saved < 0 {
		return
	}
	again := w.restore(Request{To: out.Saved, Redo: true})
	report("redo", difference(end, tree(t, w.dir, covered)), again)
	path := w.existing(func(i fs.FileInfo) bool { return i.Mode().IsRegular() })
	if path == "" {
		return
	}
	// an edit of the user stays, whatever else comes back
	//nolint:gosec // of a test
	if os.Chmod(w.at(path), 0o644) != nil || os.WriteFile(w.at(path), []byte("by the user"), 0o644) != nil {
		return
	}
	last := w.restore(Request{To: 0})
	if got := w.read(path); got != "by the user" && start[path] != "-rw-r--r-- by the user" {
		t.Fatalf("seed %d: %q is %q after an undo; skipped: %s", seed, path, got, skipped(last))
	}
}

// TestRestore_NotRoot_BringsBackWhatItMayRead runs the test again as a user who may not read or write everything.
func TestRestore_NotRoot_BringsBackWhatItMayRead(t *testing.T) {
	if os.Geteuid() != 0 {
		lockedFolders(t)
		return
	}
	dir, err := os.MkdirTemp("", "snapshot")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "test")
	const nobody = 65534
	for _, err := range []error{
		os.WriteFile(program, self, 0o755), os.Chmod(dir, 0o777), //nolint:gosec // for the other user
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), program, "-test.run", "^TestRestore_", "-test.short")
	cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func lockedFolders(t *testing.T) {
	f := newFixture(t)
	t.Cleanup(func() { unlock(f.dir) })
	f.write("d/e/a", "start")
	f.write("b", "start")
	f.must(os.Chmod(f.at("d/e"), 0o555))
	start := tree(t, f.dir, all)
	f.take(Start, 0)
	f.must(os.Chmod(f.at("d/e"), 0o755))
	f.write("d/e/a", "changed")
	f.write("d/e/new", "new")
	f.must(os.Chmod(f.at("d/e"), 0o555), os.Chmod(f.at("d"), 0), os.Chmod(f.at("b"), 0))
	f.take(End, 1)
	out := f.restore(Request{To: 0})
	if d := difference(start, tree(t, f.dir, all)); d != "" || len(out.Skipped) > 0 {
		t.Errorf("after undo: %s\nskipped: %s", d, skipped(out))
	}
}
