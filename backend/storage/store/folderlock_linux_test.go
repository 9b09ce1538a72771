package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/domain/goal"
)

// TestFolderLocks_OtherDataFolder_WaitsForOverlappingFolders covers other spellings, folders below and above, and lock
// files of processes that have ended.
func TestFolderLocks_OtherDataFolder_WaitsForOverlappingFolders(t *testing.T) {
	base := t.TempDir()
	dir := func(path string) string { return filepath.Join(base, path) }
	if err := errors.Join(os.MkdirAll(dir("work/sub"), 0o700), os.Mkdir(dir("other"), 0o700),
		os.Symlink(dir("work"), dir("link"))); err != nil {
		t.Fatal(err)
	}
	mine, theirs := FolderLocks{dir("place"), "/mine"}, FolderLocks{dir("place"), "/theirs"}
	unlock, busy, err := mine.Lock("a", []string{dir("other/x"), dir("work")})
	if err != nil || busy != "" || unlock == nil {
		t.Fatalf("%q %v", busy, err)
	}
	for name, c := range map[string]struct {
		locks   FolderLocks
		folders []string
		waits   bool
	}{
		"the same":                {theirs, []string{dir("work")}, true},
		"another spelling":        {theirs, []string{dir("link") + "/../work/."}, true},
		"through a link":          {theirs, []string{dir("link")}, true},
		"below":                   {theirs, []string{dir("work/sub")}, true},
		"above":                   {theirs, []string{base}, true},
		"one of two":              {theirs, []string{dir("other"), dir("work/sub")}, true},
		"beside it":               {theirs, []string{dir("other")}, false},
		"none, as it only reads":  {theirs, nil, false},
		"of the same data folder": {mine, []string{dir("work")}, false},
	} {
		free, busy, err := c.locks.Lock(goal.ID(strings.ReplaceAll(name, " ", "")), c.folders)
		if err != nil || (busy != "") != c.waits || c.waits && !strings.Contains(busy, "(data folder /mine, process ") {
			t.Errorf("%s: %q %v", name, busy, err)
		}
		if free != nil {
			free()
		}
	}
	unlock()
	// A process that was killed leaves a file that nobody has locked.
	dead := dir("place/1-dead.lock")
	if err := os.WriteFile(dead, []byte(`{"state":"/mine","pid":1,"folders":[["1:1"]]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	unlock, busy, err = theirs.Lock("b", []string{dir("work")})
	if err != nil || busy != "" {
		t.Fatalf("after the end: %q %v", busy, err)
	}
	unlock()
	if left, err := filepath.Glob(dir("place/*.lock")); err != nil || len(left) > 0 {
		t.Errorf("left %v %v", left, err)
	}
}

// TestFolderLocks_PlaceOfSomeoneElse_IsRefused: anybody may make a folder or a link in /tmp.
func TestFolderLocks_PlaceOfSomeoneElse_IsRefused(t *testing.T) {
	base := t.TempDir()
	open, link := filepath.Join(base, "open"), filepath.Join(base, "link")
	err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o750), os.Symlink(base, link)) //nolint:gosec // on purpose
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{open, link} {
		if _, _, err := (FolderLocks{place, "/mine"}).Lock("a", []string{base}); err == nil {
			t.Errorf("%s is used", place)
		}
	}
}

// TestFolderLocks_AnotherClaimIsWritten_IsAwaited: two goals that start at once both claim their folders.
func TestFolderLocks_AnotherClaimIsWritten_IsAwaited(t *testing.T) {
	locks := FolderLocks{Place: filepath.Join(t.TempDir(), "place"), State: "one"}
	if err := makePlace(locks.Place); err != nil {
		t.Fatal(err)
	}
	other := flock.New(filepath.Join(locks.Place, "all"))
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = other.Close() })
	unlock, busy, err := locks.Lock("01m0goal000000000000000001", []string{t.TempDir()})
	if err != nil || busy != "" || unlock == nil {
		t.Fatalf("%q, %v", busy, err)
	}
	unlock()
}
