package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
)

// entry is the index entry of a value. The value is stored elsewhere.
type entry struct {
	Name   string    `json:"name,omitempty"`   // of a secret
	Origin string    `json:"origin,omitempty"` // of a login
	User   string    `json:"user,omitempty"`
	Hosts  []string  `json:"hosts,omitempty"`
	Place  Backend   `json:"place"`
	Added  time.Time `json:"added"`
}

// id returns the value's name in its backend.
func (e entry) id() string {
	if e.Origin != "" {
		return "login " + e.Origin + " " + url.QueryEscape(e.User)
	}
	return "secret " + e.Name
}

// reference replaces the value wherever it is masked.
func (e entry) reference() string {
	if e.Origin != "" {
		return "[hidden: password of a saved login]"
	}
	return Ref(e.Name)
}

func (e entry) describe() string {
	if e.Origin != "" {
		return fmt.Sprintf("the login %s on %s", e.User, e.Origin)
	}
	return e.Name
}

// indexFile is the stored index: which values exist and where, without the values.
type indexFile struct {
	Entries []entry `json:"entries"`
}

func (i *indexFile) put(e entry) {
	i.drop(e.id())
	i.Entries = append(i.Entries, e)
}

func (i *indexFile) drop(id string) {
	i.Entries = slices.DeleteFunc(i.Entries, func(e entry) bool { return e.id() == id })
}

// index is the list of names in secrets.json. Every change is applied to the present content of the file.
type index struct{ dir string }

func (in index) path() string { return filepath.Join(in.dir, "secrets.json") }

func (in index) read() (indexFile, error) {
	b, err := os.ReadFile(in.path())
	if errors.Is(err, os.ErrNotExist) {
		return indexFile{}, nil
	}
	var f indexFile
	if err == nil {
		err = json.Unmarshal(b, &f)
	}
	if err != nil {
		return f, fmt.Errorf("the list of secrets: %w", err)
	}
	return f, nil
}

func (in index) find(key entry) (entry, error) {
	f, err := in.read()
	if err != nil {
		return entry{}, err
	}
	i := slices.IndexFunc(f.Entries, func(e entry) bool { return e.id() == key.id() })
	if i < 0 {
		return entry{}, fmt.Errorf("%w: %s", ErrUnknown, key.describe())
	}
	return f.Entries[i], nil
}

func (in index) change(edit func(*indexFile)) error {
	return withFileLock(in.dir, func() error {
		f, err := in.read()
		if err != nil {
			return err
		}
		edit(&f)
		b, err := json.MarshalIndent(f, "", "  ")
		if err != nil {
			return fmt.Errorf("the list of secrets: %w", err)
		}
		return fileio.WriteDurably(in.path(), append(b, '\n'), 0o600)
	})
}

// withFileLock runs do while no other process changes files of the folder.
func withFileLock(dir string, do func() error) (err error) {
	lock := flock.New(filepath.Join(dir, "secrets.lock"))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("secrets: lock: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	return do()
}

// validateHosts refuses invalid host names.
func validateHosts(hosts []string) error {
	for _, h := range hosts {
		if h == "" || strings.ContainsAny(h, "/:@ *\t\n") {
			return fault.Invalid("hosts", fmt.Sprintf("%q is not the name of a host", h),
				"give one like api.example.org, without scheme and port")
		}
	}
	return nil
}
