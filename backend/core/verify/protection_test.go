package verify_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/protect"
)

func heldIn(t *testing.T, archive string, commands ...string) verify.Options {
	t.Helper()
	private := filepath.Join(t.TempDir(), "private")
	return verify.Options{Dir: folderOf(t, archive), Private: private, Criterion: criterion(commands...)}
}

func protection(t *testing.T, o verify.Options) *protect.State {
	t.Helper()
	p, err := verify.OpenProtection(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAccept_ChangedFile_Decides checks that the accepted version is protected like the old one.
func TestAccept_ChangedFile_Decides(t *testing.T) {
	for _, c := range []struct {
		name, command, archive string
		change                 string // an archive of what the user writes; an empty file is removed
		accepted               string
		after, diff            string // one more change, and part of the diff that it causes
	}{
		{
			"a script", "sh check.sh", "-- check.sh --\ntest -f wrong\n", "-- check.sh --\ntest -f right\n", "check.sh",
			"-- check.sh --\ntrue\n", "-test -f right",
		},
		{
			"a script that is gone", "sh check.sh", "-- check.sh --\ntest -f wrong\n", "-- check.sh --\n", "check.sh",
			"-- check.sh --\ntrue\n", "check.sh has appeared",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := heldIn(t, c.archive, c.command)
			world(t, o)
			rewrite(t, o.Dir, c.change)
			files, err := protection(t, o).ChangedFiles()
			if err != nil || strings.Join(files, " ") != c.accepted {
				t.Fatalf("changed: %q, %v", files, err)
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
			if files, err := protection(t, o).ChangedFiles(); err != nil || len(files) != 1 {
				t.Errorf("changed after the next change: %q, %v", files, err)
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

func TestAccept_FileCannotBeStored_ChangesNothing(t *testing.T) {
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

// TestAccept_OneOfTwoChanges_OnlyAsShown checks that a version that was not shown is refused, and that accepting one
// file leaves the other as it is.
func TestAccept_OneOfTwoChanges_OnlyAsShown(t *testing.T) {
	o := heldIn(t, "-- one.sh --\nfalse\n-- two.sh --\nfalse\n", "sh one.sh", "sh two.sh")
	world(t, o)
	write(t, o.Dir, "one.sh", "true\n")
	write(t, o.Dir, "two.sh", "true\n")
	p := protection(t, o)
	list, err := p.Changes(t.Context())
	if err != nil || len(list) != 2 || !strings.Contains(list[0].Diff, "+true") ||
		!strings.Contains(list[0].Why, "check") {
		t.Fatalf("changes: %+v, %v", list, err)
	}
	write(t, o.Dir, "one.sh", "test -f other\n")
	var stale *protect.StaleChangeError
	for name, chosen := range map[string]protect.Version{
		"the hash that was shown": {Path: "one.sh", SHA256: list[0].SHA256},
		"no hash":                 {Path: "one.sh"},
	} {
		if _, err := p.Accept(t.Context(), chosen); !errors.As(err, &stale) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unchanged *protect.UnchangedError
	if _, err := p.Accept(t.Context(), protect.Version{Path: "done.txt"}); !errors.As(err, &unchanged) {
		t.Errorf("a file that is not protected: %v", err)
	}
	if list, err = p.Changes(t.Context()); err != nil {
		t.Fatal(err)
	}
	accepted, err := p.Accept(t.Context(), protect.Version{Path: "one.sh", SHA256: list[0].SHA256})
	if err != nil || len(accepted) != 1 || accepted[0].Path != "one.sh" {
		t.Fatalf("accepted: %v, %v", accepted, err)
	}
	files, err := protection(t, o).ChangedFiles()
	if err != nil || !slices.Equal(files, []string{"two.sh"}) {
		t.Errorf("changed: %q, %v", files, err)
	}
}

// TestUnprotect_ProtectedFile_CanBeChanged also covers a file that the agent removes, and a state that is opened again.
func TestUnprotect_ProtectedFile_CanBeChanged(t *testing.T) {
	for _, c := range []struct{ name, command, archive, path, change string }{
		{"a script", "sh check.sh", "-- check.sh --\nfalse\n", "check.sh", "-- check.sh --\ntrue\n"},
		{"a script that is removed", "sh check.sh", "-- check.sh --\nfalse\n", "./check.sh", "-- check.sh --\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := heldIn(t, c.archive, c.command)
			world(t, o)
			freed, err := protection(t, o).Unprotect([]string{c.path})
			if err != nil || !slices.Equal(freed, []string{strings.TrimPrefix(c.path, "./")}) {
				t.Fatalf("freed: %q, %v", freed, err)
			}
			rewrite(t, o.Dir, c.change)
			if diff, err := world(t, o).Tampered(t.Context()); err != nil || diff != "" {
				t.Errorf("after it was freed: %q, %v", diff, err)
			}
		})
	}
}

// TestUnprotect_UnprotectedFile_FreesNothing also checks that the error names the files that are protected.
func TestUnprotect_UnprotectedFile_FreesNothing(t *testing.T) {
	o := heldIn(t, "-- check.sh --\nfalse\n-- work.txt --\n1\n", "sh check.sh")
	world(t, o)
	var unknown *protect.NotProtectedError
	_, err := protection(t, o).Unprotect([]string{"check.sh", "work.txt"})
	if !errors.As(err, &unknown) || unknown.Path != "work.txt" || !slices.Equal(unknown.Protected, []string{"check.sh"}) {
		t.Errorf("%v", err)
	}
	write(t, o.Dir, "check.sh", "true\n")
	if diff, err := world(t, o).Tampered(t.Context()); err != nil || diff == "" {
		t.Errorf("the difference is %q, %v", diff, err)
	}
}

// TestRestore_ChangedVersion_IsKeptAside: the agent's version must not be lost.
func TestRestore_ChangedVersion_IsKeptAside(t *testing.T) {
	o := heldIn(t, "-- check.sh --\nfalse\n", "sh check.sh", "sh check.sh -x")
	world(t, o)
	write(t, o.Dir, "check.sh", "true\n")
	files, aside, err := protection(t, o).RestoreAll(t.Context())
	if err != nil || !slices.Equal(files, []string{"check.sh"}) {
		t.Fatalf("put back %q, %v", files, err)
	}
	if b, err := os.ReadFile(filepath.Join(aside, "check.sh")); err != nil || string(b) != "true\n" {
		t.Errorf("kept aside: %q, %v", b, err)
	}
}
