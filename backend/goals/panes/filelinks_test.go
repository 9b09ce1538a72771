package panes

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFindFiles_NamesOfATerminal_AreTheFilesThatExist(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, path := range []string{filepath.Join(home, "notes.md"), filepath.Join(dir, "src", "a b.go")} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file, notes := filepath.Join(dir, "src", "a b.go"), filepath.Join(home, "notes.md")
	names := []string{"src/a b.go", "./src/../src/a b.go", "~/notes.md", notes, "src", "12", "gone.go", ""}
	want := []string{file, file, notes, notes, "", "", "", ""}
	if got := (&Registry{}).FindFiles(dir, names); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := (&Registry{}).FindFiles("", []string{"notes.md"}); got[0] != "" {
		t.Errorf("a name without a folder was found: %q", got)
	}
}
