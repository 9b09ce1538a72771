package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"goalpost/backend/lib/folder"
)

// TestCopy_WholeFolder_IsTheSame: modes and links are kept, no link is followed, and a pipe does not block.
func TestCopy_WholeFolder_IsTheSame(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	at := func(name string) string { return filepath.Join(from, name) }
	must(t, errors.Join(os.MkdirAll(at("deep/er"), 0o755),
		os.WriteFile(at("deep/er/run.sh"), []byte("#!/bin/sh\n"), 0o755), os.Symlink("/etc/passwd", at("link")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Chmod(at("deep"), 0o500)))
	t.Cleanup(func() {
		must(t, errors.Join(os.Chmod(at("deep"), 0o700), os.Chmod(filepath.Join(to, "deep"), 0o700)))
	})
	must(t, folder.Copy(t.Context(), from, to, 1000))
	content, err := os.ReadFile(filepath.Join(to, "deep/er/run.sh"))
	must(t, err)
	was, err := os.Stat(at("deep/er/run.sh"))
	must(t, err)
	is, err := os.Stat(filepath.Join(to, "deep/er/run.sh"))
	must(t, err)
	if string(content) != "#!/bin/sh\n" || is.Mode() != was.Mode() || !is.ModTime().Equal(was.ModTime()) {
		t.Errorf("%q, %v, %v", content, is.Mode(), is.ModTime())
	}
	if target, err := os.Readlink(filepath.Join(to, "link")); err != nil || target != "/etc/passwd" {
		t.Errorf("the link is %q: %v", target, err)
	}
	if info, err := os.Stat(filepath.Join(to, "deep")); err != nil || info.Mode().Perm() != 0o500 {
		t.Errorf("the folder is %v: %v", info, err)
	}
	if _, err := os.Lstat(filepath.Join(to, "pipe")); err == nil {
		t.Error("the pipe was copied")
	}
}

func TestCopy_TooLarge_Refuses(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	must(t, os.WriteFile(filepath.Join(from, "a"), []byte("four"), 0o600))
	if err := folder.Copy(t.Context(), from, t.TempDir(), 3); !errors.Is(err, folder.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
}
