// Package fileio reads files of a folder that programs change in the meantime, and
// writes private files whole or not at all.
package fileio

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"unicode/utf8"

	"goalpost/backend/lib/text"
)

// ErrTooLong means that a file is longer than the caller reads.
var ErrTooLong = errors.New("it is too long to be read")

// Open opens a regular file of root for reading. It opens the file before it checks the type, and without blocking: a
// program may put a pipe there in between.
func Open(root *os.Root, path string) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, text.StripPathError(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, nil, errors.Join(text.StripPathError(err), f.Close())
	}
	return f, info, nil
}

// Read reads a regular file of at most maxBytes.
func Read(root *os.Root, path string, maxBytes int64) ([]byte, fs.FileInfo, error) {
	f, info, err := Open(root, path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, maxBytes+1)) // it may be growing
	if err != nil {
		return nil, nil, text.StripPathError(err)
	}
	if int64(len(b)) > maxBytes {
		return nil, info, fmt.Errorf("%s: %w (over %d bytes)", path, ErrTooLong, maxBytes)
	}
	return b, info, nil
}

// IsText reports whether a content is text: UTF-8 without a zero byte.
func IsText(b []byte) bool {
	for _, c := range b {
		if c == 0 {
			return false
		}
	}
	return utf8.Valid(b)
}

// Hash is the SHA-256 of a content, in hexadecimal.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
