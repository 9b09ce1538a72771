package snapshot

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestRestore_HardLinks_KeepTheirOtherNames: files of package stores and of copies with cp -al have names outside
// of the folder, which a program changes with them. An undo restores those, too, or says that it does not.
func TestRestore_HardLinks_KeepTheirOtherNames(t *testing.T) {
	for name, c := range map[string]struct {
		act   string // in the folder, by the goal
		outer string // after the undo
		links uint64
		note  string
	}{
		"written":              {"echo new > f", "old\n", 3, "get the earlier content, too"},
		"appended":             {"echo new >> g", "old\n", 3, "get the earlier content, too"},
		"emptied":              {"> f", "old\n", 3, "get the earlier content, too"},
		"mode":                 {"chmod 600 f", "old\n", 3, ""},
		"written, read-only":   {"echo longer than before > f; chmod 400 f", "old\n", 3, "get the earlier content"},
		"replaced":             {"cp f h; mv h f; echo new > f", "old\n", 1, "no longer is"},
		"written and replaced": {"echo new > f; rm f; echo other > f", "old\n", 1, "no longer is"},
		"written and removed":  {"echo new > f; rm f g", "new\n", 1, "no longer is"},
		"one name removed":     {"echo new > f; rm g", "old\n", 2, "no longer is"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			outer := filepath.Join(filepath.Dir(f.dir), "outer")
			f.must(os.RemoveAll(outer), os.WriteFile(outer, []byte("old\n"), 0o644), os.Link(outer, f.at("f")),
				os.Link(outer, f.at("g")))
			hasAttribute := syscall.Setxattr(outer, "user.kept", []byte("1"), 0) == nil // not on every file system
			f.take(Start, 0)
			act := exec.CommandContext(t.Context(), "sh", "-c", c.act)
			act.Dir = f.dir
			f.must(act.Run())
			f.take(End, 1)
			f.reopen()
			out := f.restore(Request{})
			if s := skipped(out); s != "" || f.changes(0) != "" || f.read("f") != "old\n" || f.read("g") != "old\n" {
				t.Errorf("f is %q, g is %q, skipped %s, changes %s", f.read("f"), f.read("g"), s, f.changes(0))
			}
			content, err := os.ReadFile(outer)
			f.must(err)
			var info syscall.Stat_t
			f.must(syscall.Stat(f.at("f"), &info))
			if string(content) != c.outer || uint64(info.Nlink) != c.links || info.Mode&0o777 != 0o644 {
				t.Errorf("outside it is %q, with %d names and mode %o", content, info.Nlink, info.Mode)
			}
			var notes []string
			for _, one := range out.Done {
				notes = append(notes, one.LinkNote())
			}
			if all := strings.Join(notes, "\n"); !strings.Contains(all, c.note) || c.note == "" && all != "" && all != "\n" {
				t.Errorf("it says %q", all)
			}
			if n, err := syscall.Getxattr(f.at("f"), "user.kept", nil); hasAttribute && c.links == 3 && (err != nil || n != 1) {
				t.Errorf("the extended attribute is lost: %v", err)
			}
			f.restore(Request{To: out.Saved, Redo: true})
			if s := f.changes(out.Saved); s != "" {
				t.Errorf("after a redo %s differs", s)
			}
		})
	}
}

// TestRestore_LinkMadeByTheGoal_IsNotWrittenThrough: the goal puts a link to another file in the place of a file.
func TestRestore_LinkMadeByTheGoal_IsNotWrittenThrough(t *testing.T) {
	f := newFixture(t)
	outer := filepath.Join(filepath.Dir(f.dir), "outer")
	f.must(os.RemoveAll(outer), os.WriteFile(outer, []byte("mine\n"), 0o600))
	f.write("f", "old\n")
	f.must(os.Link(f.at("f"), f.at("g")))
	f.take(Start, 0)
	f.must(os.Remove(f.at("f")), os.Link(outer, f.at("f")))
	f.take(End, 1)
	f.restore(Request{})
	if content, err := os.ReadFile(outer); err != nil || string(content) != "mine\n" || f.read("f") != "old\n" {
		t.Errorf("outside it is %q %v, inside %q", content, err, f.read("f"))
	}
}
