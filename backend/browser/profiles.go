package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"goalpost/backend/browser/internal/cdp"
	"goalpost/backend/browser/internal/chromium"
	"goalpost/backend/browser/internal/sanitize"
)

// profiles are the folders in which Chromium keeps what the user's pages store.
type profiles struct {
	dir string
	// whileUnused does something while no page of a profile is open, and no process of it.
	whileUnused func(ctx context.Context, name string, do func() error) error
}

// ErrOpen says that a profile cannot be altered now.
var ErrOpen = errors.New("pages of this profile are open: close them first")

var profileName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckProfile says whether a name may name a profile.
func CheckProfile(name string) error {
	if !profileName.MatchString(name) {
		return fmt.Errorf("%w: a profile is named with at most 40 of a-z, 0-9, - and _, not %q", ErrRefused,
			sanitize.Line(name, 60))
	}
	return nil
}

// Profiles lists the names of the profiles that were used, in order.
func (s *profiles) Profiles() []string {
	entries, err := os.ReadDir(s.dir)
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

// DeleteProfile forgets a profile with all its logins. One of which a page is open is
// ErrOpen, one that another Goalpost uses ErrLocked.
func (s *profiles) DeleteProfile(ctx context.Context, name string) error {
	return s.withProfileLocked(ctx, name, (*chromium.RunDir).Delete)
}

// RenameProfile gives a profile, with all that it keeps, another name that no profile
// has. Errors are those of DeleteProfile.
func (s *profiles) RenameProfile(ctx context.Context, name, to string) error {
	if err := CheckProfile(to); err != nil {
		return err
	}
	return s.withProfileLocked(ctx, name, func(dir *chromium.RunDir) error {
		err := os.Rename(dir.Path, filepath.Join(s.dir, to)) // refuses a folder that is there
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: there is a profile %q already", ErrRefused, to)
		}
		return errors.Join(err, dir.Remove())
	})
}

// withProfileLocked does something to the folder of a profile while nobody uses it.
func (s *profiles) withProfileLocked(ctx context.Context, name string, do func(*chromium.RunDir) error) error {
	if err := CheckProfile(name); err != nil {
		return err
	}
	return s.whileUnused(ctx, name, func() error {
		if !slices.Contains(s.Profiles(), name) {
			return fmt.Errorf("%w: there is no profile %q", ErrRefused, name)
		}
		dir, err := chromium.OpenProfile(s.dir, name)
		if err != nil {
			return err
		}
		return do(dir)
	})
}

// whileProfileUnused does something while no page of a profile can be opened. A Chromium
// that has none any more is ended first.
func (m *Manager) whileProfileUnused(ctx context.Context, name string, do func() error) error {
	select {
	case m.start <- struct{}{}: // nothing is opened
		defer func() { <-m.start }()
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
	key := processKey("", name)
	m.mu.Lock()
	e, open := m.engines[key], false
	for _, p := range m.panes {
		open = open || p.state.goalID == "" && p.state.profile == name
	}
	if !open {
		delete(m.engines, key)
	}
	m.mu.Unlock()
	if open {
		return fmt.Errorf("the profile %s: %w", name, ErrOpen)
	}
	if e != nil {
		if err := e.Close(ctx); err != nil {
			return fmt.Errorf("the profile %s: %w", name, err)
		}
	}
	return do()
}
