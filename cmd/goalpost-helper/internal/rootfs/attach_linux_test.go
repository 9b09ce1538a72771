package rootfs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestUnreadable_EveryKindOfFile_HidesWhatOthersCannotRead: of a folder that others cannot enter, the folder alone.
func TestUnreadable_EveryKindOfFile_HidesWhatOthersCannotRead(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{
		"open/": 0o755, "open/secret": 0o640, "open/public": 0o644, "open/deep/": 0o755, "open/deep/key": 0o600,
		"listed/": 0o754, "entered/": 0o751, "entered/public": 0o644, "executable": 0o711,
	} {
		at := filepath.Join(dir, path)
		err := os.MkdirAll(filepath.Dir(at), 0o755)
		if path[len(path)-1] == '/' {
			err = errors.Join(err, os.MkdirAll(at, 0o755))
		} else {
			err = errors.Join(err, os.WriteFile(at, nil, 0o600))
		}
		t.Cleanup(func() { _ = os.Chmod(at, 0o700) })
		if err := errors.Join(err, os.Chmod(at, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "open", "secret"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range Unreadable(dir) {
		path, err := filepath.Rel(dir, string(m.Target))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, path)
	}
	slices.Sort(got)
	want := []string{"entered", "executable", "listed", "open/deep/key", "open/secret"}
	if !slices.Equal(got, want) {
		t.Errorf("hidden: %q, want %q", got, want)
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := Unreadable(dir); len(got) != 1 || string(got[0].Target) != dir {
		t.Errorf("hidden of a folder of its owner: %+v", got)
	}
	if got := Unreadable(filepath.Join(dir, "link")); len(got) > 0 {
		t.Errorf("hidden of a link: %+v", got)
	}
}
