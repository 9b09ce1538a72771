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
	dir string
	key keyFile
	own *age.X25519Identity // nil until it is unlocked
}

func newEncryptedFile(dir, key string, work int) *encryptedFile {
	return &encryptedFile{dir: dir, key: keyFile{cmp.Or(key, filepath.Join(dir, "secrets.key")), work}}
}

func (s *encryptedFile) path() string { return filepath.Join(s.dir, "secrets.age") }

func (s *encryptedFile) info() BackendInfo {
	w := BackendInfo{Place: File}
	kind, err := s.key.kind()
	switch {
	case err != nil:
		w.Detail, w.Locked = fmt.Sprintf("the encrypted file %s, which cannot be opened: %v", s.path(), err), true
	case kind == keyPassphrase:
		w.Detail, w.Passphrase, w.Locked = fmt.Sprintf("the encrypted file %s, opened by your passphrase", s.path()), true,
			s.own == nil
	default:
		w.Detail = fmt.Sprintf(
			"the encrypted file %s, opened by the key file %s: anyone who can read both files can read your secrets", s.path(),
			s.key.path)
	}
	return w
}

// needsPassphrase reports whether a passphrase is needed first.
func (s *encryptedFile) needsPassphrase() bool {
	kind, err := s.key.kind()
	return s.own == nil && err == nil && kind == keyPassphrase
}

// unlock reads the key. It does nothing if there is no key yet.
func (s *encryptedFile) unlock(passphrase string) error {
	own, err := s.key.open(passphrase)
	if err != nil {
		return err
	}
	s.own = own
	return nil
}

// identity returns the key, and makes one if nothing is stored yet.
func (s *encryptedFile) identity(mayMake bool) (*age.X25519Identity, error) {
	if s.own != nil {
		return s.own, nil
	}
	own, err := s.key.open("")
	if errors.Is(err, os.ErrNotExist) {
		if _, kept := os.Stat(s.path()); kept == nil || !mayMake {
			return nil, fmt.Errorf("the key file %s is missing, and without it %s cannot be opened: restore it, or remove "+
				"both and set the secrets again", s.key.path, s.path())
		}
		own, err = s.key.make()
	}
	if err != nil {
		return nil, err
	}
	s.own = own
	return own, nil
}

func (s *encryptedFile) setPassphrase(passphrase string) error {
	own, err := s.identity(true)
	if err != nil {
		return err
	}
	return withFileLock(s.dir, func() error { return s.key.write(own, passphrase) })
}

func (s *encryptedFile) read() (map[string]string, error) {
	b, err := os.ReadFile(s.path())
	if errors.Is(err, os.ErrNotExist) {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the encrypted file: %w", err)
	}
	own, err := s.identity(false)
	if err != nil {
		return nil, err
	}
	r, err := age.Decrypt(bytes.NewReader(b), own)
	if err != nil {
		return nil, fmt.Errorf("the key %s does not open %s: %w", s.key.path, s.path(), err)
	}
	plain, err := io.ReadAll(r)
	values := map[string]string{}
	if err == nil {
		err = json.Unmarshal(plain, &values)
	}
	if err != nil {
		return nil, fmt.Errorf("the encrypted file %s is damaged: %w", s.path(), err)
	}
	return values, nil
}

func (s *encryptedFile) change(edit func(map[string]string)) error {
	return withFileLock(s.dir, func() error {
		values, err := s.read()
		if err != nil {
			return err
		}
		own, err := s.identity(true)
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
		w, err := age.Encrypt(&b, own.Recipient())
		if err != nil {
			return fmt.Errorf("encrypt: %w", err)
		}
		_, err = w.Write(plain)
		if err = errors.Join(err, w.Close()); err != nil {
			return fmt.Errorf("encrypt: %w", err)
		}
		return fileio.WriteDurably(s.path(), b.Bytes(), 0o600)
	})
}

func (s *encryptedFile) set(_ context.Context, id, value string) error {
	return s.change(func(v map[string]string) { v[id] = value })
}

func (s *encryptedFile) remove(_ context.Context, id string) error {
	return s.change(func(v map[string]string) { delete(v, id) })
}

func (s *encryptedFile) get(_ context.Context, id string) (string, error) {
	values, err := s.read()
	if err != nil {
		return "", err
	}
	value, ok := values[id]
	if !ok {
		return "", errNotStored
	}
	return value, nil
}
