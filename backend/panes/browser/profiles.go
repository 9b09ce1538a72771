package browser

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/lib/text"
	"goalpost/backend/panes/browser/internal/cdp"
	"goalpost/backend/panes/browser/internal/chromium"
)

// profiles are the folders in which Chromium stores the data of the user's pages.
type profiles struct {
	dir string
	// whileUnused calls a function while no page and no process of a profile is open.
	whileUnused func(ctx context.Context, name string, do func() error) error
}

// ErrOpen means that a profile cannot be changed now.
var ErrOpen = errors.New("pages of this profile are open: close them first")

var profileName = text.NewPattern(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// CheckProfile validates the name of a profile.
func CheckProfile(name string) error {
	if !profileName.MatchString(name) {
		return fmt.Errorf("%w: %q is not a profile name: use at most 40 of a-z, 0-9, - and _", ErrRefused,
			text.SanitizeLine(name, 60))
	}
	return nil
}

// Profiles lists the names of the existing profiles, sorted.
func (p *profiles) Profiles() []string {
	entries, err := os.ReadDir(p.dir)
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

// DeleteProfile deletes a profile with all its logins. It returns ErrOpen if one of its pages is
// open, and ErrLocked if another Goalpost process uses it.
func (p *profiles) DeleteProfile(ctx context.Context, name string) error {
	return p.withProfileLocked(ctx, name, (*chromium.RunDir).Delete)
}

// RenameProfile renames a profile; the new name must be free. It returns the errors of
// DeleteProfile.
func (p *profiles) RenameProfile(ctx context.Context, name, to string) error {
	if err := CheckProfile(to); err != nil {
		return err
	}
	return p.withProfileLocked(ctx, name, func(dir *chromium.RunDir) error {
		err := os.Rename(dir.Path, filepath.Join(p.dir, to)) // fails if the folder exists
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%w: a profile %q already exists", ErrRefused, to)
		}
		return errors.Join(err, dir.Remove())
	})
}

// withProfileLocked calls a function with the folder of a profile that nothing else uses.
func (p *profiles) withProfileLocked(ctx context.Context, name string, do func(*chromium.RunDir) error) error {
	if err := CheckProfile(name); err != nil {
		return err
	}
	return p.whileUnused(ctx, name, func() error {
		if !slices.Contains(p.Profiles(), name) {
			return fmt.Errorf("%w: there is no profile %q", ErrRefused, name)
		}
		dir, err := chromium.OpenProfile(p.dir, name)
		if err != nil {
			return err
		}
		return do(dir)
	})
}

// whileProfileUnused calls a function while no page of a profile can be opened. It first ends a
// Chromium that has no pages left.
func (m *Manager) whileProfileUnused(ctx context.Context, name string, do func() error) error {
	select {
	case m.start <- struct{}{}: // blocks new pages
		defer func() { <-m.start }()
	case <-ctx.Done():
		return cdp.Cause(ctx)
	}
	key := processKey("", name)
	m.mu.Lock()
	e, open := m.processes[key], false
	for _, p := range m.panes {
		open = open || p.State.goalID == "" && p.State.profile == name
	}
	if !open {
		delete(m.processes, key)
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
