package verify_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"goalpost/backend/verify"
	"goalpost/backend/verify/protect"
)

func heldIn(t *testing.T, archive string, commands ...string) verify.Options {
	t.Helper()
	private := filepath.Join(t.TempDir(), "private")
	return verify.Options{Dir: folderOf(t, archive), Private: private, Criterion: criterion(commands...)}
}

func protection(t *testing.T, o verify.Options) *protect.Protection {
	t.Helper()
	p, err := verify.OpenProtection(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAccept: the present versions decide, and are protected as the old ones were.
func TestAccept(t *testing.T) {
	for _, c := range []struct {
		name, command, archive string
		change                 string // an archive of what the user writes; an empty file is removed
		accepted               string
		after, diff            string // one more archive, and what is seen of it
	}{
		{
			"a script", "sh check.sh", "-- check.sh --\ntest -f wrong\n", "-- check.sh --\ntest -f right\n", "check.sh",
			"-- check.sh --\ntrue\n", "-test -f right",
		},
		{
			"a script that calls another by now", "sh check.sh", "-- check.sh --\ntest -f wrong\n-- work.sh --\ntrue\n",
			"-- check.sh --\nsh more.sh\n-- more.sh --\ntest -f right\n", "check.sh",
			"-- more.sh --\ntrue\n", "-test -f right",
		},
		{
			"a script that is gone", "sh check.sh", "-- check.sh --\ntest -f wrong\n", "-- check.sh --\n", "check.sh",
			"-- check.sh --\ntrue\n", "check.sh has appeared",
		},
		{
			"a file that has appeared", "python3 -m pytest", "-- test_a.py --\n1\n", "-- conftest.py --\nx = 1\n", "conftest.py",
			"-- conftest.py --\nx = 2\n", "-x = 1",
		},
		{
			"one of two targets of a Makefile", "make lint && make test",
			"-- Makefile --\nlint:\n\tfalse\ntest:\n\tfalse\n",
			"-- Makefile --\nlint:\n\ttest -f right\ntest:\n\tfalse\n", "Makefile",
			"-- Makefile --\nlint:\n\ttest -f right\ntest:\n\ttrue\n", "true",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := heldIn(t, c.archive, c.command)
			world(t, o)
			rewrite(t, o.Dir, c.change)
			files, err := protection(t, o).Undecided(t.Context())
			if err != nil || strings.Join(files, " ") != c.accepted {
				t.Fatalf("undecided: %q, %v", files, err)
			}
			accepted, err := protection(t, o).Accept(t.Context())
			if err != nil || len(accepted) != 1 || accepted[0].Path != c.accepted {
				t.Fatalf("accepted: %v, %v", accepted, err)
			}
			if diff, err := world(t, o).Tampered(t.Context()); err != nil || diff != "" {
				t.Errorf("after it was accepted: %q, %v", diff, err)
			}
			rewrite(t, o.Dir, c.after)
			if diff, err := world(t, o).Tampered(t.Context()); err != nil || !strings.Contains(diff, c.diff) {
				t.Errorf("after the next change: %q, %v", diff, err)
			}
			if files, err := protection(t, o).Undecided(t.Context()); err != nil || len(files) != 1 {
				t.Errorf("undecided after the next change: %q, %v", files, err)
			}
		})
	}
}

// rewrite writes an archive into a folder; an empty file is removed.
func rewrite(t *testing.T, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if len(f.Data) == 0 {
			must(t, os.Remove(filepath.Join(dir, f.Name)))
			continue
		}
		write(t, dir, f.Name, string(f.Data))
	}
}

// TestWhatCannotBeHeldIsNotAccepted: nothing changes then.
func TestWhatCannotBeHeldIsNotAccepted(t *testing.T) {
	o := heldIn(t, "-- check.sh --\nfalse\n", "sh check.sh")
	world(t, o)
	must(t, os.Remove(filepath.Join(o.Dir, "check.sh")))
	must(t, os.Mkdir(filepath.Join(o.Dir, "check.sh"), 0o755))
	if accepted, err := protection(t, o).Accept(t.Context()); err == nil || !strings.Contains(err.Error(), "check.sh") {
		t.Errorf("accepted: %v, %v", accepted, err)
	}
	if diff, err := world(t, o).Tampered(t.Context()); err != nil || diff == "" {
		t.Errorf("the difference is %q, %v", diff, err)
	}
}

// TestUndecided: what the user was shown is decided, until it is changed again.
func TestUndecided(t *testing.T) {
	o := heldIn(t, "-- check.sh --\nfalse\n", "sh check.sh")
	w := world(t, o)
	expect := func(when string, want ...string) {
		t.Helper()
		if files, err := w.Undecided(t.Context()); err != nil || !slices.Equal(files, want) {
			t.Errorf("%s: %q, %v", when, files, err)
		}
	}
	expect("at the start")
	write(t, o.Dir, "check.sh", "true\n")
	expect("changed", "check.sh")
	must(t, w.RecordShown(t.Context()))
	expect("shown")
	write(t, o.Dir, "check.sh", "test -f right\n")
	expect("changed again", "check.sh")
	write(t, o.Dir, "check.sh", "true\n")
	expect("as it was shown")
	if _, _, err := w.RestoreProtected(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, o.Dir, "check.sh", "true\n")
	expect("changed in the same way after it was put back", "check.sh")
}

// TestPutBackKeepsTheChangedVersion: also where two parts of one file were changed.
func TestPutBackKeepsTheChangedVersion(t *testing.T) {
	o := heldIn(t, "-- Makefile --\nlint:\n\tfalse\ntest:\n\tfalse\n", "make lint", "make test")
	w := world(t, o)
	const changed = "lint:\n\ttrue\ntest:\n\ttrue\n"
	write(t, o.Dir, "Makefile", changed)
	files, aside, err := w.RestoreProtected(t.Context())
	if err != nil || !slices.Equal(files, []string{"Makefile"}) {
		t.Fatalf("put back %q, %v", files, err)
	}
	if b, err := os.ReadFile(filepath.Join(aside, "Makefile")); err != nil || string(b) != changed {
		t.Errorf("kept aside: %q, %v", b, err)
	}
}
