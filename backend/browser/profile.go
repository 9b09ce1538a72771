package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"syscall"
)

// ErrLocked says that another Goalpost uses a profile.
var ErrLocked = errors.New("this browser profile is in use by another Goalpost")

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckProfile says whether a name may name a profile.
func CheckProfile(name string) error {
	if !profileName.MatchString(name) {
		return fmt.Errorf("%w: a profile is named with at most 40 of a-z, 0-9, - and _, not %q", ErrRefused, clean(name, 60))
	}
	return nil
}

func (m *Manager) profilesDir() string { return filepath.Join(m.cfg.Dir, "profiles") }

// Profiles lists the names of the profiles that were used, in order.
func (m *Manager) Profiles() []string {
	entries, err := os.ReadDir(m.profilesDir())
	if err != nil {
		return nil // none was used
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() && CheckProfile(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	slices.Sort(names)
	return names
}

// DeleteProfile forgets a profile with all its logins. One that is open is ErrLocked.
func (m *Manager) DeleteProfile(name string) error {
	if err := CheckProfile(name); err != nil {
		return err
	}
	if !slices.Contains(m.Profiles(), name) {
		return fmt.Errorf("there is no profile %q", name)
	}
	dir, err := openProfile(m.profilesDir(), name)
	if err != nil {
		return err
	}
	dir.kept = false
	return dir.remove()
}

// openProfile takes the folder of a profile for this program alone.
func openProfile(parent, name string) (*runDir, error) {
	path := filepath.Join(parent, name)
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("the profile %s: %w", name, err)
	}
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the profile %s: %w", name, err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("the profile %s: %w: close it there, or use another profile", name, ErrLocked)
	}
	// What a killed Chromium left to keep a second one away; the lock above is what counts.
	for _, stale := range []string{"SingletonLock", "SingletonSocket", "SingletonCookie"} {
		_ = os.Remove(filepath.Join(path, stale))
	}
	return &runDir{path: path, lock: lock, kept: true}, nil
}
