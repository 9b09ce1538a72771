package secret

import (
	"context"
	"errors"
	"fmt"
)

// LoadAll opens everything that is kept, saved logins too, so that the mask knows it
// in a process that has used none of it. The user is not asked for a passphrase.
// The error names what could not be opened; the mask knows the rest.
func (v *Vault) LoadAll(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.index.read()
	if err != nil {
		return err
	}
	var failed []error
	closed := map[Backend]bool{} // said once
	for _, e := range f.Entries {
		if closed[e.Place] {
			continue
		}
		s, err := v.backendWithoutPrompt(ctx, e.Place)
		if err != nil {
			closed[e.Place] = true
			failed = append(failed, fmt.Errorf("what is kept in the %s: %w", e.Place, err))
			continue
		}
		value, err := s.get(ctx, e.id())
		switch {
		case errors.Is(err, errNotStored):
		case err != nil:
			closed[e.Place] = e.Place == File || ctx.Err() != nil // it is read as a whole
			failed = append(failed, fmt.Errorf("%s: %w", e.describe(), err))
		default:
			v.mask.Add(e.reference(), value)
		}
	}
	return errors.Join(failed...)
}

// backendWithoutPrompt is the place, if the user need not say a passphrase; mu is held.
func (v *Vault) backendWithoutPrompt(ctx context.Context, p Backend) (backend, error) {
	if p == File && v.file.needsPassphrase() {
		return nil, ErrLocked
	}
	return v.readyBackend(ctx, p)
}
