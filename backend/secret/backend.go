package secret

import "context"

// Backend says where a value lies.
type Backend string

// The places.
const (
	Keyring Backend = "keyring" // the system's
	File    Backend = "file"    // encrypted with age
)

// BackendInfo is what a user is told about the vault.
type BackendInfo struct {
	Place  Backend
	Detail string // which keyring, or which file and what opens it
	// Locked: a passphrase is needed before anything is opened.
	Locked bool
	// Passphrase: the file's key is opened by one, and not by owning the key file.
	Passphrase bool
}

// backend is a place that keeps values by id.
type backend interface {
	set(ctx context.Context, id, value string) error
	get(ctx context.Context, id string) (string, error) // errNotStored if it has none
	remove(ctx context.Context, id string) error        // also of what is not there
}
