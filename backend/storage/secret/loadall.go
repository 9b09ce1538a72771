package secret

import (
	"context"
	"errors"
	"fmt"
)

// LoadAll reads all values, including saved logins, so that the mask knows them even if the process has not used
// them. The user is not asked for a passphrase. The error names the values that could not be read; the mask knows the
// others.
func (v *Vault) LoadAll(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.index.read()
	if err != nil {
		return err
	}
	var failed []error
	closed := map[Backend]bool{} // reported once
	for _, e := range f.Entries {
		if closed[e.Place] {
			continue
		}
		s, err := v.backendWithoutPrompt(ctx, e.Place)
		if err != nil {
			closed[e.Place] = true
			failed = append(failed, fmt.Errorf("reading from the %s: %w", e.Place, err))
			continue
		}
		value, err := s.get(ctx, e.id())
		switch {
		case errors.Is(err, errNotStored):
		case err != nil:
			closed[e.Place] = e.Place == File || ctx.Err() != nil // the file is read as a whole
			failed = append(failed, fmt.Errorf("%s: %w", e.describe(), err))
		default:
			v.mask.Add(e.reference(), value)
		}
	}
	return errors.Join(failed...)
}

// backendWithoutPrompt returns the backend if it needs no passphrase from the user; mu is held.
func (v *Vault) backendWithoutPrompt(ctx context.Context, p Backend) (backend, error) {
	if p == File && v.file.needsPassphrase() {
		return nil, ErrLocked
	}
	return v.readyBackend(ctx, p)
}
