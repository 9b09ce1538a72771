package devices

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"goalpost/backend/lib/fault"
)

// Limits of a password. The lock-out of the server makes short ones safe, and a shorter one than this is in lists.
const (
	MinPassword = 12
	maxPassword = 1024
)

// The cost of a check: the second choice of RFC 9106, for machines with little memory.
const (
	argonTime    = 3
	argonMemory  = 64 << 10 // KiB
	argonThreads = 4
	argonBytes   = 32
)

const argonPrefix = "$argon2id$v=19$m=65536,t=3,p=4$"

// HasPassword reports whether a password logs in.
func (l *List) HasPassword() bool {
	f, err := l.read()
	return err == nil && f.Password != ""
}

// SetPassword sets the password, and ends the logins that were made by the former one.
func (l *List) SetPassword(password string) error {
	if n := utf8.RuneCountInString(password); n < MinPassword || len(password) > maxPassword {
		return fault.Invalid("password", fmt.Sprintf("the password has %d characters", n),
			fmt.Sprintf("use %d to %d, such as four random words", MinPassword, maxPassword))
	}
	return l.storePassword(l.encodePassword(password))
}

// RemovePassword removes the password, and ends the logins that were made by it.
func (l *List) RemovePassword() error { return l.storePassword("") }

func (l *List) storePassword(stored string) error {
	return l.change(func(f *file) error {
		f.Password = stored
		f.Devices = slices.DeleteFunc(f.Devices, func(o login) bool { return o.By == ByPassword })
		return nil
	})
}

// CheckPassword reports whether a password is the right one. It takes about 100 ms, and waits for other checks.
func (l *List) CheckPassword(password string) bool {
	f, err := l.read()
	if err != nil || len(password) > maxPassword {
		return false
	}
	rest, ok := strings.CutPrefix(f.Password, argonPrefix)
	salt, hash, found := strings.Cut(rest, "$")
	wantSalt, err := base64.RawStdEncoding.DecodeString(salt)
	if !ok || !found || err != nil {
		return false
	}
	want, err := base64.RawStdEncoding.DecodeString(hash)
	if err != nil || len(want) != argonBytes {
		return false
	}
	return subtle.ConstantTimeCompare(l.hash(password, wantSalt), want) == 1
}

func (l *List) encodePassword(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never fails
	return argonPrefix + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(l.hash(password, salt))
}

func (l *List) hash(password string, salt []byte) []byte {
	l.passwords.Lock()
	defer l.passwords.Unlock()
	return argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonThreads, argonBytes)
}
