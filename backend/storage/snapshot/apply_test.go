package snapshot

import (
	"os"
	"slices"
	"testing"
)

// TestApply_ChangesOfAnotherFolder_AreMadeAndUndone: what both folders began with is replaced, what the user changed is
// left alone until it is forced, and the snapshot from before brings everything back.
func TestApply_ChangesOfAnotherFolder_AreMadeAndUndone(t *testing.T) {
	from, to := newFixture(t), newFixture(t)
	for _, f := range []*fixture{from, to} {
		f.write(".gitignore", "out\n")
		for _, path := range []string{"changed", "gone", "of both", "of the user", "old/gone"} {
			f.write(path, "start\n")
		}
	}
	to.must(os.Chmod(to.at("changed"), 0o640))
	from.must(from.archive.Take(t.Context(), Start, 0))
	from.write("changed", "by the goal\n")
	from.must(os.Chmod(from.at("changed"), 0o755), os.Remove(from.at("gone")), os.RemoveAll(from.at("old")),
		os.Symlink("changed", from.at("link")))
	from.write("new/deep/file", "new\n")
	from.write("out/built", "ignored\n")
	for _, f := range []*fixture{from, to} {
		f.write("of both", "the same\n")
	}
	from.write("of the user", "by the goal\n")
	to.write("of the user", "by the user\n")
	before := tree(t, to.dir, all)

	again := func() *Archive { // empty
		a, err := Open(Options{Dir: to.dir, Private: t.TempDir()})
		to.must(err)
		t.Cleanup(func() { to.must(a.Close()) })
		return a
	}
	conflict, err := again().Apply(t.Context(), from.archive, ApplyRequest{})
	to.must(err)
	if len(conflict.Skipped) != 1 || conflict.Skipped[0].Path != "of the user" || !conflict.Skipped[0].CanForce {
		t.Errorf("the conflicts are %+v", conflict.Skipped)
	}
	keep := []string{"of the user"}
	plan, err := again().Apply(t.Context(), from.archive, ApplyRequest{Keep: keep, DryRun: true})
	to.must(err)
	if got := difference(before, tree(t, to.dir, all)); got != "" {
		t.Fatalf("a dry run, or a conflict, changed the folder:\n%s", got)
	}
	out, err := to.archive.Apply(t.Context(), from.archive, ApplyRequest{Keep: keep})
	to.must(err)
	paths := func(o *Outcome) (list []string) {
		for _, c := range (&Comparison{Changes: o.Done}).Files() {
			list = append(list, c.Path)
		}
		return list
	}
	want := []string{"changed", "gone", "link", "new/deep/file", "old/gone"}
	if !slices.Equal(paths(out), want) || !slices.Equal(paths(plan), want) {
		t.Errorf("applied %q after planning %q", paths(out), paths(plan))
	}
	info, err := os.Lstat(to.at("changed"))
	to.must(err)
	if got := to.read("changed"); got != "by the goal\n" || info.Mode().Perm() != 0o751 {
		t.Errorf("%q with mode %o", got, info.Mode().Perm())
	}
	if target, err := os.Readlink(to.at("link")); err != nil || target != "changed" {
		t.Errorf("the link is %q: %v", target, err)
	}
	if got := to.read("new/deep/file"); got != "new\n" {
		t.Errorf("the new file is %q", got)
	}
	for _, path := range []string{"out", "old"} {
		if _, err := os.Lstat(to.at(path)); err == nil {
			t.Errorf("%s is there", path)
		}
	}
	to.reopen()
	_, err = to.archive.Restore(t.Context(), Request{})
	to.must(err)
	if got := difference(before, tree(t, to.dir, all)); got != "" {
		t.Errorf("after the undo:\n%s", got)
	}
}

// TestApply_ForcedPath_IsOverwrittenAndUndone: what the user had there is in the snapshot.
func TestApply_ForcedPath_IsOverwrittenAndUndone(t *testing.T) {
	from, to := newFixture(t), newFixture(t)
	from.write("a", "start\n")
	to.write("a", "by the user\n")
	from.must(from.archive.Take(t.Context(), Start, 0))
	from.write("a", "by the goal\n")
	out, err := to.archive.Apply(t.Context(), from.archive, ApplyRequest{Force: []string{"a"}})
	to.must(err)
	if got := to.read("a"); got != "by the goal\n" || len(out.Skipped) > 0 {
		t.Errorf("%q, skipped %+v", got, out.Skipped)
	}
	_, err = to.archive.Restore(t.Context(), Request{})
	to.must(err)
	if got := to.read("a"); got != "by the user\n" {
		t.Errorf("after the undo: %q", got)
	}
}
