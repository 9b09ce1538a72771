package suggest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCopyFolder_FilesAndLinks_AreTheSame: the copy has the same files, modes and links.
func TestCopyFolder_FilesAndLinks_AreTheSame(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	err1 := os.MkdirAll(filepath.Join(from, "a", "b"), 0o755)
	err2 := os.WriteFile(filepath.Join(from, "a", "b", "run.sh"), []byte("echo"), 0o755)
	err3 := os.Symlink("b/run.sh", filepath.Join(from, "a", "link"))
	err4 := os.WriteFile(filepath.Join(from, "locked"), []byte("x"), 0o444)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	if err := CopyFolder(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(to, "a", "b", "run.sh"))
	if err != nil || info.Mode().Perm() != 0o755 || info.Size() != 4 {
		t.Errorf("%v %v", info, err)
	}
	if link, err := os.Readlink(filepath.Join(to, "a", "link")); err != nil || link != "b/run.sh" {
		t.Errorf("%q %v", link, err)
	}
	if err := os.WriteFile(filepath.Join(to, "a", "b", "run.sh"), []byte("changed"), 0o755); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(from, "a", "b", "run.sh")); err != nil || string(b) != "echo" {
		t.Errorf("the folder has %q, %v", b, err)
	}
}

func TestCopyFolder_TooLarge_IsRefused(t *testing.T) {
	from := t.TempDir()
	f, err := os.Create(filepath.Join(from, "large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(maxCopyBytes+1), f.Close()); err != nil { // a sparse file
		t.Fatal(err)
	}
	if err := CopyFolder(t.Context(), from, t.TempDir()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("%v", err)
	}
}
