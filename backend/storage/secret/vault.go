package secret

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"goalpost/backend/lib/fault"
)

// Options describe a vault.
type Options struct {
	Dir     string // of the index and the encrypted file, private to the user
	KeyFile string // "" is secrets.key in Dir
	// NoKeyring stores everything in the encrypted file, even if a keyring is running.
	NoKeyring bool
	// Ask asks the user for the passphrase if one is needed; nil if no user can be asked.
	Ask func(ctx context.Context) (string, error)
	// Mask gets every value that is read; required.
	Mask *Mask
	Now  func() time.Time // nil is the clock

	work int // work factor of scrypt for tests: the default takes a second
}

// Vault stores values by name. All methods may be called concurrently, and several processes may use the same folder.
type Vault struct {
	index index
	keys  keyring
	file  *encryptedFile
	ask   func(ctx context.Context) (string, error)
	mask  *Mask
	now   func() time.Time
	noKey bool

	mu     sync.Mutex // one access at a time: a keyring may ask the user
	probed bool
	why    error // why the keyring does not answer, nil if it does
}

// Secret describes a secret without its value.
type Secret struct {
	Name  string
	Place Backend
	Hosts []string  // where it may be sent; none: anywhere
	Added time.Time // or when it was last changed
}

// Open opens a vault. It reads nothing and asks for nothing until a method needs it.
func Open(o Options) (*Vault, error) {
	if o.Mask == nil {
		return nil, errors.New("a vault needs a mask")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Vault{
		index: index{dir: o.Dir}, keys: keyring{"Goalpost " + o.Dir}, file: newEncryptedFile(o.Dir, o.KeyFile, o.work),
		ask: o.Ask, mask: o.Mask, now: o.Now, noKey: o.NoKeyring,
	}, nil
}

// Where describes where new values are stored, and what protects them.
func (v *Vault) Where(ctx context.Context) BackendInfo {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.where(ctx)
}

func (v *Vault) where(ctx context.Context) BackendInfo {
	why := v.keyringProblem(ctx)
	if why == nil {
		return BackendInfo{Place: Keyring, Detail: keyringName}
	}
	w := v.file.info()
	w.Detail = fmt.Sprintf("%s (%s)", w.Detail, why)
	return w
}

// keyringProblem returns why the keyring is not used, nil if it is used. The caller holds mu. A keyring that has
// answered is not probed again. One that has not answered is, because it may have been started since.
func (v *Vault) keyringProblem(ctx context.Context) error {
	if v.noKey {
		return errors.New("chosen in the settings")
	}
	if !v.probed || v.why != nil {
		v.probed, v.why = true, v.keys.probe(ctx)
	}
	if v.why != nil {
		return fmt.Errorf("the keyring does not answer: %w", v.why)
	}
	return nil
}

// Set stores a value under a name and returns where. hosts are the only hosts that it may be sent to.
func (v *Vault) Set(ctx context.Context, name, value string, hosts []string) (Backend, error) {
	if err := cmp.Or(ValidateName(name), validateValue("value", value), validateHosts(hosts)); err != nil {
		return "", err //nolint:wrapcheck // it is one of this package's
	}
	return v.put(ctx, entry{Name: name, Hosts: hosts}, value)
}

func (v *Vault) put(ctx context.Context, e entry, value string) (Backend, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e.Place, e.Added = File, v.now().UTC()
	if v.keyringProblem(ctx) == nil {
		e.Place = Keyring
	}
	old, err := v.index.find(e)
	had := err == nil
	if err != nil && !errors.Is(err, ErrUnknown) {
		return "", err
	}
	s, err := v.readyBackend(ctx, e.Place)
	if err != nil {
		return "", err
	}
	if err := s.set(ctx, e.id(), value); err != nil {
		return "", fmt.Errorf("secret %s: %w", e.Name, err)
	}
	v.mask.Add(e.reference(), value)
	if err := v.index.change(func(f *indexFile) { f.put(e) }); err != nil {
		return "", err
	}
	if had && old.Place != e.Place { // an older value in another backend is removed
		if s, err = v.readyBackend(ctx, old.Place); err == nil {
			err = s.remove(ctx, e.id())
		}
		if err != nil {
			return e.Place, fmt.Errorf("secret %s is now stored in the %s; the older value in the %s could not be removed: %w",
				e.Name, e.Place, old.Place, err)
		}
	}
	return e.Place, nil
}

// Get reads a value. The mask knows it from then on.
func (v *Vault) Get(ctx context.Context, name string) (string, error) {
	return v.get(ctx, entry{Name: name})
}

func (v *Vault) get(ctx context.Context, key entry) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	e, err := v.index.find(key)
	if err != nil {
		return "", err
	}
	s, err := v.readyBackend(ctx, e.Place)
	if err != nil {
		return "", err
	}
	value, err := s.get(ctx, e.id())
	if errors.Is(err, errNotStored) {
		return "", fmt.Errorf("%w: %s was stored in the %s, but was removed there", ErrUnknown, e.describe(), e.Place)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", e.describe(), err)
	}
	v.mask.Add(e.reference(), value)
	return value, nil
}

// ErrUnknown means that there is no such secret.
var ErrUnknown error = fault.Kind(fault.NotFound, "", "no such secret is stored",
	"secret list shows the stored secrets")

// ErrLocked means that the passphrase is needed, but the user cannot be asked.
var ErrLocked error = fault.Kind(fault.Unavailable, "", "the secrets are locked by a passphrase",
	"unlock them in the settings, or run the command in a terminal, which asks")

// readyBackend returns the unlocked backend. The caller holds mu.
func (v *Vault) readyBackend(ctx context.Context, p Backend) (backend, error) {
	if p == Keyring {
		if v.noKey {
			v.probed = true // values that are already there can still be read
			return v.keys, v.keys.probe(ctx)
		}
		return v.keys, v.keyringProblem(ctx)
	}
	if !v.file.needsPassphrase() {
		return v.file, nil
	}
	if v.ask == nil {
		return nil, ErrLocked
	}
	passphrase, err := v.ask(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking for the passphrase: %w", err)
	}
	return v.file, v.file.unlock(passphrase)
}

// List lists the secrets by name, without saved logins.
func (v *Vault) List() ([]Secret, error) {
	f, err := v.index.read()
	if err != nil {
		return nil, err
	}
	list := []Secret{}
	for _, e := range f.Entries {
		if e.Origin == "" {
			list = append(list, Secret{e.Name, e.Place, e.Hosts, e.Added})
		}
	}
	slices.SortFunc(list, func(a, b Secret) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return list, nil
}

// Find describes one secret without reading its value; ErrUnknown if there is none.
func (v *Vault) Find(name string) (Secret, error) {
	e, err := v.index.find(entry{Name: name})
	return Secret{e.Name, e.Place, e.Hosts, e.Added}, err
}

// Remove removes a secret, also from its backend.
func (v *Vault) Remove(ctx context.Context, name string) error {
	return v.drop(ctx, entry{Name: name})
}

func (v *Vault) drop(ctx context.Context, key entry) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	e, err := v.index.find(key)
	if err != nil {
		return err
	}
	s, err := v.readyBackend(ctx, e.Place)
	if err != nil {
		return err
	}
	if err := s.remove(ctx, e.id()); err != nil {
		return fmt.Errorf("%s: %w", e.describe(), err)
	}
	return v.index.change(func(f *indexFile) { f.drop(e.id()) })
}

// Unlock unlocks the encrypted file with the user's passphrase, for this process.
func (v *Vault) Unlock(passphrase string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.file.unlock(passphrase)
}

// SetPassphrase protects the key of the encrypted file with a passphrase, or removes the protection with "". The file
// must be unlocked.
func (v *Vault) SetPassphrase(ctx context.Context, passphrase string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if _, err := v.readyBackend(ctx, File); err != nil {
		return err
	}
	return v.file.setPassphrase(passphrase)
}
