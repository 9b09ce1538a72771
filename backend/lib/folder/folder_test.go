package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/lib/folder"
)

func write(root *os.Root, rel, text string) error { return folder.Write(root, rel, []byte(text)) }

func open(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := root.Close(); err != nil {
			t.Error(err)
		}
	})
	return root, dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrite_ExistingFile_IsReplacedWithItsMode also checks that missing folders are created.
func TestWrite_ExistingFile_IsReplacedWithItsMode(t *testing.T) {
	root, dir := open(t)
	must(t, write(root, "a/b/c.sh", "a long first text"))
	must(t, os.Chmod(filepath.Join(dir, "a/b/c.sh"), 0o755))
	must(t, write(root, "a/b/c.sh", "short"))
	b, err := os.ReadFile(filepath.Join(dir, "a/b/c.sh"))
	must(t, err)
	info, err := os.Stat(filepath.Join(dir, "a/b/c.sh"))
	must(t, err)
	if string(b) != "short" || info.Mode().Perm() != 0o755 {
		t.Errorf("%q %v", b, info.Mode())
	}
}

// TestWrite_Links_AreRefused also tests .git by all its names: files there are run outside the sandbox.
func TestWrite_Links_AreRefused(t *testing.T) {
	root, dir := open(t)
	must(t, os.MkdirAll(filepath.Join(dir, ".git/hooks"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, ".git/config"), []byte("as it was"), 0o600))
	must(t, os.Symlink(".git", filepath.Join(dir, "g")))
	must(t, os.Symlink(".git/hooks", filepath.Join(dir, "hooks")))
	must(t, os.Symlink(".git/config", filepath.Join(dir, "config")))
	must(t, os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "file"), nil, 0o600))
	for path, want := range map[string]string{
		"g/config":         "g is a link to .git",
		"hooks/pre-commit": "is a link to .git/hooks",
		"config":           "config is a link to .git/config",
		"dangling":         "is a link to nowhere",
		".git/config":      "change it with git",
		".GIT/commondir":   "change it with git",
		"sub/.git/config":  "change it with git",
		".git":             "change it with git",
		"sub":              "sub is not a regular file",
		"file/x":           "file is not a folder",
	} {
		if err := write(root, path, "hostile"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, ".git/config"))
	must(t, err)
	left, err := os.ReadDir(filepath.Join(dir, ".git/hooks"))
	must(t, err)
	if string(b) != "as it was" || len(left) > 0 {
		t.Errorf("git's folder holds %q and %v", b, left)
	}
}

// TestWrite_LinkSwappedIn_StaysInTheFolder swaps a link in while files are written. No file is written to the folder
// behind the link.
func TestWrite_LinkSwappedIn_StaysInTheFolder(t *testing.T) {
	root, dir := open(t)
	must(t, os.Mkdir(filepath.Join(dir, "behind"), 0o755))
	entry := filepath.Join(dir, "door")
	over, swapped := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			select {
			case <-over:
				swapped <- n
				return
			default:
			}
			_ = os.RemoveAll(entry)
			if os.Symlink("behind", entry) == nil {
				n++
			}
		}
	}()
	for range 2000 {
		_ = write(root, "door/x", "hostile") // refused, or written into a folder that write made
	}
	close(over)
	if n := <-swapped; n == 0 {
		t.Error("nothing was swapped")
	}
	if left, err := os.ReadDir(filepath.Join(dir, "behind")); err != nil || len(left) > 0 {
		t.Errorf("behind the link: %v %v", left, err)
	}
}
