package sandbox

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
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

// ErrNoHelper says that this program was built without its helper and none is beside it.
var ErrNoHelper = errors.New("goalpost-helper is missing: run make build, or set GOALPOST_HELPER to its path")

// packageDir is where packages install the same files. Only root can change them, so that an AppArmor profile can
// trust them.
const packageDir = "/usr/lib/goalpost"

// Install puts the embedded helper into stateDir under its hash and returns its path. If one exists already, its hash
// is compared, and it is replaced if that differs. If the installed package has the same file, its path is returned
// instead. A program without an embedded helper (go build by hand) uses the one beside its own executable, else the one
// that GOALPOST_HELPER names.
func Install(stateDir string) (string, error) {
	return installEmbedded(stateDir, helperName, "GOALPOST_HELPER", ErrNoHelper)
}

// InstallPredicate does the same for the program that decides expressions, which
// is asked for by few goals only.
func InstallPredicate(stateDir string) (string, error) {
	return installEmbedded(stateDir, predicateName, "GOALPOST_PREDICATE", ErrNoPredicate)
}

func installEmbedded(stateDir, name, variable string, missing error) (string, error) {
	f, err := built.Open("embed/" + name)
	if errors.Is(err, fs.ErrNotExist) {
		return findBesideExecutable(name, variable, missing)
	}
	if err != nil {
		return "", fmt.Errorf("reading the embedded %s: %w", name, err)
	}
	defer func() { _ = f.Close() }() // it is memory
	body, ok := f.(io.ReadSeeker)
	if !ok {
		return "", fmt.Errorf("the embedded %s cannot be read twice", name)
	}
	return installFile(stateDir, packageDir, name, body)
}

// installFile never holds the whole file, which every start of a program reads.
func installFile(stateDir, packageDir, name string, body io.ReadSeeker) (string, error) {
	sum, err := sha256File(body)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	packaged := filepath.Join(packageDir, name)
	if isRootFile(packageDir) && isRootFile(packaged) && isOurFile(packaged, sum) {
		return packaged, nil
	}
	path := filepath.Join(stateDir, name+"-"+hex.EncodeToString(sum[:8]))
	if isOurFile(path, sum) {
		return path, nil
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return "", fmt.Errorf("installing %s: %w", name, err)
	}
	// Nothing is started: whatever is, holds this file open to write for a
	// moment, and what somebody writes the kernel does not execute.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	// Written beside and renamed: another process may be executing the old file,
	// or installing this one.
	f, err := os.CreateTemp(stateDir, name+"-*.new")
	if err != nil {
		return "", fmt.Errorf("installing %s: %w", name, err)
	}
	if _, err = body.Seek(0, io.SeekStart); err == nil {
		_, err = io.Copy(f, body)
	}
	err = errors.Join(err, f.Chmod(0o755), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return "", fmt.Errorf("installing %s: %w", name, errors.Join(err, os.Remove(f.Name())))
	}
	return path, nil
}

// isOurFile tells whether path is a regular file of ours with that hash, and that nobody
// else may write.
func isOurFile(path string, sum [sha256.Size]byte) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o755 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	there, err := sha256File(f)
	return errors.Join(err, f.Close()) == nil && there == sum
}

func sha256File(r io.ReadSeeker) (sum [sha256.Size]byte, err error) {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return sum, fmt.Errorf("from its start: %w", err)
	}
	hash := sha256.New()
	if _, err := io.Copy(hash, r); err != nil {
		return sum, fmt.Errorf("to its end: %w", err)
	}
	return [sha256.Size]byte(hash.Sum(nil)), nil
}

func findBesideExecutable(name, variable string, missing error) (string, error) {
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
