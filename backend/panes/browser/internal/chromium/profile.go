package chromium

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// OpenProfile locks the folder of a profile for this program, and creates it if necessary.
func OpenProfile(parent, name string) (*RunDir, error) {
	path := filepath.Join(parent, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the profile %s: %w", name, err)
	}
	lock := flock.New(filepath.Join(path, "lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("the profile %s: %w", name, err)
	}
	if !locked {
		return nil, fmt.Errorf("the profile %s: %w: close it there, or use another profile", name, ErrLocked)
	}
	// A killed Chromium leaves these files, which would keep the next one out. The lock above protects the profile.
	for _, file := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie"} {
		_ = os.Remove(filepath.Join(path, file))
	}
	return &RunDir{Path: path, lock: lock, isProfile: true}, nil
}
