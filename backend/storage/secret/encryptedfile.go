package secret

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"filippo.io/age"

	"goalpost/backend/lib/fileio"
)

// encryptedFile stores all values in one file, encrypted to one key. The vault's lock synchronizes access within the
// process.
type encryptedFile struct {
	dir        string
	key        keyFile
	privateKey *age.X25519Identity // nil until it is unlocked
}

func newEncryptedFile(dir, key string, work int) *encryptedFile {
	return &encryptedFile{dir: dir, key: keyFile{cmp.Or(key, filepath.Join(dir, "secrets.key")), work}}
}

func (e *encryptedFile) path() string { return filepath.Join(e.dir, "secrets.age") }

func (e *encryptedFile) info() BackendInfo {
	w := BackendInfo{Place: File}
	kind, err := e.key.kind()
	switch {
	case err != nil:
		w.Detail, w.Locked = fmt.Sprintf("the encrypted file %s, which cannot be opened: %v", e.path(), err), true
	case kind == keyPassphrase:
		w.Detail, w.Passphrase, w.Locked = fmt.Sprintf("the encrypted file %s, opened by your passphrase", e.path()), true,
			e.privateKey == nil
	default:
		w.Detail = fmt.Sprintf(
			"the encrypted file %s, opened by the key file %s: anyone who can read both files can read your secrets", e.path(),
			e.key.path)
	}
	return w
}

// needsPassphrase reports whether a passphrase is needed first.
func (e *encryptedFile) needsPassphrase() bool {
	kind, err := e.key.kind()
	return e.privateKey == nil && err == nil && kind == keyPassphrase
}

// unlock reads the key. It does nothing if there is no key yet.
func (e *encryptedFile) unlock(passphrase string) error {
	identity, err := e.key.open(passphrase)
	if err != nil {
		return err
	}
	e.privateKey = identity
	return nil
}

// identity returns the key, and makes one if nothing is stored yet.
func (e *encryptedFile) identity(mayMake bool) (*age.X25519Identity, error) {
	if e.privateKey != nil {
		return e.privateKey, nil
	}
	identity, err := e.key.open("")
	if errors.Is(err, os.ErrNotExist) {
		if _, statErr := os.Stat(e.path()); statErr == nil || !mayMake {
			return nil, fmt.Errorf("the key file %s is missing, and without it %s cannot be opened: restore it, or remove "+
				"both and set the secrets again", e.key.path, e.path())
		}
		identity, err = e.key.make()
	}
	if err != nil {
		return nil, err
	}
	e.privateKey = identity
	return identity, nil
}

func (e *encryptedFile) setPassphrase(passphrase string) error {
	identity, err := e.identity(true)
	if err != nil {
		return err
	}
	return withFileLock(e.dir, func() error { return e.key.write(identity, passphrase) })
}

func (e *encryptedFile) read() (map[string]string, error) {
	b, err := os.ReadFile(e.path())
	if errors.Is(err, os.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the encrypted file: %w", err)
	}
	identity, err := e.identity(false)
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(b), identity)
	if err != nil {
		return nil, fmt.Errorf("the key %s does not open %s: %w", e.key.path, e.path(), err)
	}
	plain, err := io.ReadAll(r)
	values := map[string]string{}
	if err == nil {
		err = json.Unmarshal(plain, &values)
	}
	if err != nil {
		return nil, fmt.Errorf("the encrypted file %s is damaged: %w", e.path(), err)
	}
	return values, nil
}

func (e *encryptedFile) change(edit func(map[string]string)) error {
	return withFileLock(e.dir, func() error {
		values, err := e.read()
		if err != nil {
			return err
		}
		identity, err := e.identity(true)
		if err != nil {
			return err
		}
		values = maps.Clone(values)
		edit(values)
		plain, err := json.Marshal(values)
		if err != nil {
			return fmt.Errorf("the encrypted file: %w", err)
		}
		var b bytes.Buffer
		w, err := age.Encrypt(&b, identity.Recipient())
		if err != nil {
			return fmt.Errorf("encrypt: %w", err)
		}
		_, err = w.Write(plain)
		if err = errors.Join(err, w.Close()); err != nil {
			return fmt.Errorf("encrypt: %w", err)
		}
		return fileio.WriteDurably(e.path(), b.Bytes(), 0o600)
	})
}

func (e *encryptedFile) set(_ context.Context, id, value string) error {
	return e.change(func(v map[string]string) { v[id] = value })
}

func (e *encryptedFile) remove(_ context.Context, id string) error {
	return e.change(func(v map[string]string) { delete(v, id) })
}

func (e *encryptedFile) get(_ context.Context, id string) (string, error) {
	values, err := e.read()
	if err != nil {
		return "", err
	}
	value, ok := values[id]
	if !ok {
		return "", errNotStored
	}
	return value, nil
}
