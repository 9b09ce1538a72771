package folder_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestCreate_AsRoot_BelongsToTheFoldersOwner: new files and folders belong to the owner of the folder that they are
// in, because the goal's programs run as that owner and must be able to change them. Existing files keep their owner.
func TestCreate_AsRoot_BelongsToTheFoldersOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can work in the folder of another user")
	}
	const other = 54321
	root, dir := open(t)
	must(t, write(root, "roots", "x"))
	must(t, os.Mkdir(filepath.Join(dir, "rooted"), 0o755))
	must(t, os.Chown(dir, other, other))
	must(t, write(root, "roots", "y"))
	must(t, write(root, "a/b/new", "z"))
	must(t, write(root, "rooted/new", "z"))
	for path, want := range map[string]uint32{
		"roots":      0,
		"a":          other,
		"a/b":        other,
		"a/b/new":    other,
		"rooted":     0,
		"rooted/new": 0,
	} {
		info, err := os.Stat(filepath.Join(dir, path))
		must(t, err)
		if got := info.Sys().(*syscall.Stat_t); got.Uid != want || got.Gid != want {
			t.Errorf("%s belongs to %d:%d, want %d", path, got.Uid, got.Gid, want)
		}
	}
}
