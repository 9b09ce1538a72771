package secret

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/fileio"
)

// keyFile stores the key of the encrypted file, unencrypted or encrypted with a passphrase.
type keyFile struct {
	path string
	work int // work factor of scrypt, as a power of two; 0 is the library's default, about a second
}

// keyProtection is how a key file is protected.
type keyProtection int

const (
	keyMissing keyProtection = iota
	keyUnprotected
	keyPassphrase
)

// ErrPassphrase means that the passphrase does not decrypt the key.
var ErrPassphrase error = fault.Kind(fault.Refused, "passphrase", "wrong passphrase", "enter it again")

// read returns the content of the key file. It refuses a file that other users may read or may have put there.
func (k keyFile) read() ([]byte, error) {
	info, err := os.Lstat(k.path)
	if err != nil {
		return nil, fmt.Errorf("the key file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("the key file %s is not a plain file", k.path)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf(
			"others may read the key file %s (mode %04o): use chmod 600, and consider changing the secrets", k.path,
			info.Mode().Perm())
	}
	if !isOwnedByUser(info) {
		return nil, fmt.Errorf("the key file %s belongs to another user", k.path)
	}
	b, err := os.ReadFile(k.path)
	if err != nil {
		return nil, fmt.Errorf("the key file: %w", err)
	}
	return b, nil
}

const plainKey = "AGE-SECRET-KEY-"

func (k keyFile) kind() (keyProtection, error) {
	b, err := k.read()
	switch {
	case errors.Is(err, os.ErrNotExist):
		return keyMissing, nil
	case err != nil:
		return keyMissing, err
	case bytes.HasPrefix(b, []byte(plainKey)):
		return keyUnprotected, nil
	}
	return keyPassphrase, nil
}

// open reads the key; os.ErrNotExist if there is none.
func (k keyFile) open(passphrase string) (*age.X25519Identity, error) {
	b, err := k.read()
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(b, []byte(plainKey)) {
		if b, err = decryptKey(b, passphrase); err != nil {
			return nil, err
		}
	}
	identity, err := age.ParseX25519Identity(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("the key file %s does not contain a key", k.path) // its content is not repeated
	}
	return identity, nil
}

func decryptKey(b []byte, passphrase string) ([]byte, error) {
	if passphrase == "" {
		return nil, ErrLocked
	}
	way, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("the passphrase: %w", err)
	}
	r, err := age.Decrypt(bytes.NewReader(b), way)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return nil, ErrPassphrase
	}
	if err == nil {
		b, err = io.ReadAll(r)
	}
	if err != nil {
		return nil, fmt.Errorf("the key file cannot be read: %w", err)
	}
	return b, nil
}

func (k keyFile) make() (*age.X25519Identity, error) {
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return identity, k.write(identity, "")
}

// write stores the key, encrypted if there is a passphrase.
func (k keyFile) write(identity *age.X25519Identity, passphrase string) error {
	b := []byte(identity.String() + "\n")
	if passphrase != "" {
		if len([]rune(passphrase)) < minPassphrase {
			return fault.Invalid("passphrase", fmt.Sprintf("the passphrase has fewer than %d characters", minPassphrase),
				"use several words")
		}
		way, err := age.NewScryptRecipient(passphrase)
		if err != nil {
			return fmt.Errorf("the passphrase: %w", err)
		}
		if k.work > 0 {
			way.SetWorkFactor(k.work)
		}
		var out bytes.Buffer
		w, err := age.Encrypt(&out, way)
		if err != nil {
			return fmt.Errorf("encrypt the key: %w", err)
		}
		_, err = w.Write(b)
		if err = errors.Join(err, w.Close()); err != nil {
			return fmt.Errorf("encrypt the key: %w", err)
		}
		b = out.Bytes()
	}
	return fileio.WriteDurably(k.path, b, 0o600)
}

// minPassphrase is the minimum length, in characters.
const minPassphrase = 10
