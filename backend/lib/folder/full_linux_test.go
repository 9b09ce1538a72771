package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"goalpost/backend/lib/folder"
)

// TestWrite_DiskIsFull_KeepsWhatWasThere needs root, which can make a small disk.
func TestWrite_DiskIsFull_KeepsWhatWasThere(t *testing.T) {
	root, dir := open(t)
	disk := filepath.Join(dir, "disk")
	must(t, os.Mkdir(disk, 0o755))
	if err := syscall.Mount("x", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("this user cannot make a small disk:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	must(t, write(root, "disk/notes", "kept"))
	must(t, write(root, "disk/filler", strings.Repeat("x", 20<<10)))
	long := []byte(strings.Repeat("y", 100<<10))
	for _, name := range []string{"disk/notes", "disk/new"} {
		if err := folder.Write(root, name, long); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: %v, want that the disk is full", name, err)
		}
	}
	content, err := os.ReadFile(filepath.Join(disk, "notes"))
	if err != nil || string(content) != "kept" {
		t.Errorf("the old content is now %d bytes, %v", len(content), err)
	}
	if _, err := os.Stat(filepath.Join(disk, "new")); err == nil {
		t.Error("a part of the new file was left")
	}
}
