package sandbox

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:embed
var built embed.FS

// helperName is the helper's file, here and beside the app.
const helperName = "goalpost-helper"

// ErrNoHelper says that this program was built without its helper and none lies
// beside it.
var ErrNoHelper = errors.New("goalpost-helper is missing: run make build, or set GOALPOST_HELPER to its path")

// Install puts the embedded helper into stateDir under its hash and returns its
// path. One that lies there already is compared byte for byte and replaced if it
// differs. A program without an embedded helper (go build by hand) uses the one
// beside its own executable, else the one that GOALPOST_HELPER names.
func Install(stateDir string) (string, error) {
	body, err := fs.ReadFile(built, "embed/"+helperName)
	if errors.Is(err, fs.ErrNotExist) {
		return beside()
	}
	if err != nil {
		return "", fmt.Errorf("reading the embedded helper: %w", err)
	}
	return install(stateDir, body)
}

func install(stateDir string, body []byte) (string, error) {
	sum := sha256.Sum256(body)
	path := filepath.Join(stateDir, helperName+"-"+hex.EncodeToString(sum[:8]))
	if same(path, body) {
		return path, nil
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return "", fmt.Errorf("installing the helper: %w", err)
	}
	// Written beside and renamed: another process may be executing the old file,
	// or installing this one.
	f, err := os.CreateTemp(stateDir, helperName+"-*.new")
	if err != nil {
		return "", fmt.Errorf("installing the helper: %w", err)
	}
	_, err = f.Write(body)
	err = errors.Join(err, f.Chmod(0o755), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("installing the helper: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return path, nil
}

// same tells whether path is a regular file of ours that holds exactly body and
// that nobody else may write.
func same(path string, body []byte) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o755 || info.Size() != int64(len(body)) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	old, err := io.ReadAll(f)
	return errors.Join(err, f.Close()) == nil && bytes.Equal(old, body)
}

func beside() (string, error) {
	var places []string
	if self, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(self), helperName))
	}
	places = append(places, os.Getenv("GOALPOST_HELPER"))
	for _, path := range places {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			path, err := filepath.Abs(path)
			if err != nil {
				return "", fmt.Errorf("looking for the helper: %w", err)
			}
			return path, nil
		}
	}
	return "", ErrNoHelper
}
