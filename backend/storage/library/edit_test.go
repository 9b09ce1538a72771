package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibrary_OwnEntries_AreSavedCopiedDeletedAndRestored: of both kinds, and a skill with all its files.
func TestLibrary_OwnEntries_AreSavedCopiedDeletedAndRestored(t *testing.T) {
	t.Parallel()
	state, home := t.TempDir(), t.TempDir()
	l := Open(state, home)
	write(t, filepath.Join(home, ".claude/agents/reviewer.md"),
		"---\nname: reviewer\ndescription: d\ntools: Read\ncolor: red\n---\nYou review.\n")
	write(t, filepath.Join(home, ".claude/skills/pdf/SKILL.md"), "---\nname: pdf\ndescription: d\n---\nx\n")
	write(t, filepath.Join(home, ".claude/skills/pdf/scripts/a.py"), "print(1)\n")
	for kind, name := range map[Kind]string{Personas: "reviewer", Skills: "pdf"} {
		if err := l.Save(kind, "mine", Example(kind, "mine"), true); err != nil {
			t.Fatal(err)
		}
		if err := l.Save(kind, "mine", Example(kind, "mine"), true); err == nil {
			t.Errorf("%s: a second one of the same name", kind)
		}
		if err := l.Save(kind, "mine", Example(kind, "other"), false); err == nil {
			t.Errorf("%s: a text with another name is saved", kind)
		}
		if err := l.Save(kind, "../up", Example(kind, "up"), true); err == nil {
			t.Errorf("%s: a name that leaves the folder", kind)
		}
		e, err := l.Find(kind, name, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Duplicate(e, "copy"); err != nil {
			t.Fatal(err)
		}
		if c, err := l.Find(kind, "copy", ""); err != nil || c.Owner != OwnerUser || !c.IsUsable() {
			t.Errorf("%s: the copy is %+v %v", kind, c, err)
		}
		if err := l.Delete(kind, name); err == nil {
			t.Errorf("%s: one of another program was deleted", kind)
		}
		if err := l.Delete(kind, "copy"); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Find(kind, "copy", ""); err == nil {
			t.Errorf("%s: still there", kind)
		}
		if err := l.Restore(kind, "copy"); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Find(kind, "copy", ""); err != nil {
			t.Error(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(state, "skills/copy/scripts/a.py")); err != nil || string(b) != "print(1)\n" {
		t.Errorf("%q %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(state, "personas/copy.md")); err != nil || !strings.Contains(string(b),
		"tools: [read_file]") || strings.Contains(string(b), "color") {
		t.Errorf("%q %v", b, err)
	}
}
