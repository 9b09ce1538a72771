package verify_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"goalpost/backend/core/verify"
	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/waittest"
)

// verifiedFolder returns a folder in which a check of the file sub/used.txt has passed.
func verifiedFolder(t *testing.T) (dir string, h verify.CheckRunner) {
	t.Helper()
	dir = t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.WriteFile(filepath.Join(dir, "sub", "used.txt"), []byte("good"), 0o644))
	folder, err := verify.OpenFolderState(t.Context(), verify.Options{Dir: dir, Private: t.TempDir()})
	must(t, err)
	h = verify.CheckRunner{Environment: check.Environment{Dir: dir}, Folder: folder}
	if v := one(t, h, goal.Check{Type: goal.File, Path: "./sub/used.txt", Matches: "good"}); v.Outcome != goal.Pass {
		t.Fatalf("%+v", v)
	}
	return dir, h
}

// settling takes the place of the clock: a moment passes when the test sends to passed.
type settling struct {
	began  chan struct{}
	passed chan time.Time
}

func (s settling) after(time.Duration) <-chan time.Time {
	s.began <- struct{}{}
	return s.passed
}

// TestVerified_FolderReplaced_NamesTheUsedFile: a file that no check used does not count, nor does one that was written
// again as it was.
func TestVerified_FolderReplaced_NamesTheUsedFile(t *testing.T) {
	dir, h := verifiedFolder(t)
	clock := settling{make(chan struct{}, 100), make(chan time.Time)}
	changes := make(chan string, 10)
	w := h.Folder.WatchVerified(dir, clock.after, func(change string) { changes <- change })
	defer w.End()
	used := filepath.Join(dir, "sub", "used.txt")
	must(t, os.WriteFile(filepath.Join(dir, "sub", "server.log"), []byte("line"), 0o644))
	must(t, os.Rename(used, used+".old"))
	must(t, os.WriteFile(used, []byte("good"), 0o644))
	<-clock.began
	clock.passed <- time.Time{}
	must(t, os.Chmod(used, 0o644)) // an event that changes nothing
	<-clock.began                  // the first comparison has ended
	if len(changes) > 0 {
		t.Errorf("%q, although nothing changed", <-changes)
	}
	must(t, os.Rename(filepath.Join(dir, "sub"), filepath.Join(dir, "moved")))
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
	must(t, os.WriteFile(used, []byte("bad"), 0o644))
	clock.passed <- time.Time{}
	select {
	case change := <-changes:
		if !strings.HasPrefix(change, "sub/used.txt: ") {
			t.Errorf("%q", change)
		}
	case <-time.After(waittest.Scale(10 * time.Second)):
		t.Error("nobody is told")
	}
}

// TestVerified_WrittenThroughMapping_IsSeenAtTheEnd: the kernel reports no event for such a change.
func TestVerified_WrittenThroughMapping_IsSeenAtTheEnd(t *testing.T) {
	dir, h := verifiedFolder(t)
	var changes []string
	w := h.Folder.WatchVerified(dir, time.After, func(change string) { changes = append(changes, change) })
	f, err := os.OpenFile(filepath.Join(dir, "sub", "used.txt"), os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	mapped, err := syscall.Mmap(int(f.Fd()), 0, 4, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	must(t, err)
	copy(mapped, "evil")
	must(t, syscall.Munmap(mapped))
	w.End()
	if len(changes) != 1 || !strings.HasPrefix(changes[0], "sub/used.txt: ") {
		t.Errorf("%q", changes)
	}
}
