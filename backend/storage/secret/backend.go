package secret

import "context"

// Backend names a place where values are stored.
type Backend string

// The backends.
const (
	Keyring Backend = "keyring" // the system's keyring
	File    Backend = "file"    // encrypted with age
)

// BackendInfo describes the vault to the user.
type BackendInfo struct {
	Place  Backend
	Detail string // which keyring, or which file and what decrypts it
	// Locked means that a passphrase is needed before anything can be read.
	Locked bool
	// Passphrase means that a passphrase protects the file's key, not only access to the key file.
	Passphrase bool
}

// backend stores values by id.
type backend interface {
	set(ctx context.Context, id, value string) error
	get(ctx context.Context, id string) (string, error) // errNotStored if there is none
	remove(ctx context.Context, id string) error        // also succeeds if there is none
}
