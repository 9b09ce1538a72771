package secret

import "context"

// Place says where a value lies.
type Place string

// The places.
const (
	Keyring Place = "keyring" // the system's
	File    Place = "file"    // encrypted with age
)

// Where is what a person is told about the vault.
type Where struct {
	Place  Place
	Detail string // which keyring, or which file and what opens it
	// Locked: a passphrase is needed before anything is opened.
	Locked bool
	// Passphrase: the file's key is opened by one, and not by owning the key file.
	Passphrase bool
}

// store is a place that keeps values by id.
type store interface {
	set(ctx context.Context, id, value string) error
	get(ctx context.Context, id string) (string, error) // errGone if it has none
	remove(ctx context.Context, id string) error        // also of what is not there
}
