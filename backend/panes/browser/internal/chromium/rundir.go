package chromium

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/fault"
)

// RunDir is the private folder of one Chromium. The lock in it distinguishes the folder of a
// running program from one that was left behind.
type RunDir struct {
	Path      string
	lock      *flock.Flock
	isProfile bool // it is a profile's folder, which is not deleted
}

const runPrefix = "chromium-"

// NewRunDir creates a folder in parent and deletes those that no process has locked.
func NewRunDir(parent string) (*RunDir, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, fmt.Errorf("the browser's folder: %w", err)
	}
	removeStaleDirs(parent)
	path, err := os.MkdirTemp(parent, runPrefix)
	if err != nil {
		return nil, fmt.Errorf("the browser's folder: %w", err)
	}
	lock := flock.New(filepath.Join(path, "lock"))
	locked, err := lock.TryLock()
	if err == nil && !locked {
		err = ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("locking the browser's folder: %w", err)
	}
	return &RunDir{Path: path, lock: lock}, nil
}

func removeStaleDirs(parent string) {
	old, err := filepath.Glob(filepath.Join(parent, runPrefix+"*"))
	if err != nil {
		return
	}
	for _, path := range old {
		// The lock file is not created here: a folder without one is just being created.
		lock := flock.New(filepath.Join(path, "lock"), flock.SetFlag(os.O_RDWR))
		if locked, err := lock.TryLock(); err == nil && locked {
			_ = os.RemoveAll(path) // tried again at the next start
		}
		_ = lock.Close()
	}
}

// Delete removes the folder, also that of a profile.
func (r *RunDir) Delete() error {
	r.isProfile = false
	return r.Remove()
}

// Remove unlocks the folder, and deletes it unless it belongs to a profile.
func (r *RunDir) Remove() error {
	if r.isProfile {
		if err := r.lock.Close(); err != nil {
			return fmt.Errorf("unlocking the profile: %w", err)
		}
		return nil
	}
	// Child processes of Chromium may write a last file while the folder is being deleted.
	var err error
	for range 200 {
		if err = os.RemoveAll(r.Path); err == nil {
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	return errors.Join(err, r.lock.Close())
}

// ErrLocked means that another Goalpost process uses a profile.
var ErrLocked error = fault.Kind(fault.Conflict, "profile", "this browser profile is in use by another Goalpost",
	"open a temporary page, or close the profile there")
