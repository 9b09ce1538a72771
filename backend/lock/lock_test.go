//go:build unix

package lock_test

import (
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/lock"
)

// TestOneHoldsAndTheOtherWaits: two openings of one file, as two processes have.
func TestOneHoldsAndTheOtherWaits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.lock")
	release, err := lock.Hold(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	told := make(chan string, 2)
	done := make(chan error, 1)
	go func() {
		second, err := lock.Hold(path)
		told <- "held"
		if err == nil {
			err = second()
		}
		done <- err
	}()
	told <- "let go" // before it is, so nothing may come in between
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if first := <-told; first != "let go" {
		t.Error("two held it at once")
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, err := lock.Hold(filepath.Join(path, "below")); err == nil {
		t.Error("a lock where no file can be")
	}
}
