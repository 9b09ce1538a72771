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

// The files of what the app starts programs and asks expressions with, here and
// beside the app.
const (
	helperName    = "goalpost-helper"
	predicateName = "goalpost-predicate"
)

// ErrNoPredicate is the same of the program that decides expressions.
var ErrNoPredicate = errors.New("goalpost-predicate is missing: run make build, or set GOALPOST_PREDICATE to its path")

// ErrNoHelper says that this program was built without its helper and none lies
// beside it.
var ErrNoHelper = errors.New("goalpost-helper is missing: run make build, or set GOALPOST_HELPER to its path")

// Install puts the embedded helper into stateDir under its hash and returns its
// path. One that lies there already is compared byte for byte and replaced if it
// differs. A program without an embedded helper (go build by hand) uses the one
// beside its own executable, else the one that GOALPOST_HELPER names.
func Install(stateDir string) (string, error) {
	return installed(stateDir, helperName, "GOALPOST_HELPER", ErrNoHelper)
}

// InstallPredicate does the same for the program that decides expressions, which
// is asked for by few goals only.
func InstallPredicate(stateDir string) (string, error) {
	return installed(stateDir, predicateName, "GOALPOST_PREDICATE", ErrNoPredicate)
}

func installed(stateDir, name, variable string, missing error) (string, error) {
	body, err := fs.ReadFile(built, "embed/"+name)
	if errors.Is(err, fs.ErrNotExist) {
		return beside(name, variable, missing)
	}
	if err != nil {
		return "", fmt.Errorf("reading the embedded %s: %w", name, err)
	}
	return install(stateDir, name, body)
}

func install(stateDir, name string, body []byte) (string, error) {
	sum := sha256.Sum256(body)
	path := filepath.Join(stateDir, name+"-"+hex.EncodeToString(sum[:8]))
	if same(path, body) {
		return path, nil
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return "", fmt.Errorf("installing %s: %w", name, err)
	}
	// Written beside and renamed: another process may be executing the old file,
	// or installing this one.
	f, err := os.CreateTemp(stateDir, name+"-*.new")
	if err != nil {
		return "", fmt.Errorf("installing %s: %w", name, err)
	}
	_, err = f.Write(body)
	err = errors.Join(err, f.Chmod(0o755), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("installing %s: %w", name, errors.Join(err, os.Remove(f.Name())))
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

func beside(name, variable string, missing error) (string, error) {
	var places []string
	if self, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(self), name))
	}
	places = append(places, os.Getenv(variable))
	for _, path := range places {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			path, err := filepath.Abs(path)
			if err != nil {
				return "", fmt.Errorf("looking for %s: %w", name, err)
			}
			return path, nil
		}
	}
	return "", missing
}
