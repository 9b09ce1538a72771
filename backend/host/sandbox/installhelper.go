package sandbox

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

//go:embed all:embed
var built embed.FS

// The names of the helper and of the program that evaluates expressions, embedded and beside the app.
const (
	helperName    = "goalpost-helper"
	predicateName = "goalpost-predicate"
)

// ErrNoPredicate means that this program was built without goalpost-predicate, and none is beside it.
var ErrNoPredicate = errors.New("goalpost-predicate is missing: run make build, or set GOALPOST_PREDICATE to its path")

// ErrNoHelper means that this program was built without its helper, and none is beside it.
var ErrNoHelper = errors.New("goalpost-helper is missing: run make build, or set GOALPOST_HELPER to its path")

// packageDir is where packages install the same files. Only root can change them, so that an AppArmor profile can
// trust them.
const packageDir = "/usr/lib/goalpost"

// The checksums of the embedded files, which do not change while the process runs.
var (
	sumHelper    = sync.OnceValues(func() (uint32, error) { return sumEmbedded(helperName) })
	sumPredicate = sync.OnceValues(func() (uint32, error) { return sumEmbedded(predicateName) })
)

// Install puts the embedded helper into stateDir under its checksum and returns its path. If one exists already, its
// bytes are compared, and it is replaced if one differs. If the installed package has the same file, its path is
// returned instead. A program without an embedded helper (go build by hand) uses the one beside its own executable,
// otherwise the one that GOALPOST_HELPER names.
func Install(stateDir string) (string, error) {
	return installEmbedded(stateDir, helperName, sumHelper, "GOALPOST_HELPER", ErrNoHelper)
}

// InstallPredicate does the same for goalpost-predicate, which few goals need.
func InstallPredicate(stateDir string) (string, error) {
	return installEmbedded(stateDir, predicateName, sumPredicate, "GOALPOST_PREDICATE", ErrNoPredicate)
}

func installEmbedded(
	stateDir, name string, checksum func() (uint32, error), variable string, missing error,
) (string, error) {
	body, err := openEmbedded(name)
	if errors.Is(err, fs.ErrNotExist) {
		return findBesideExecutable(name, variable, missing)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = body.Close() }() // it is memory
	sum, err := checksum()
	if err != nil {
		return "", err
	}
	return installFile(stateDir, packageDir, name, body, sum)
}

func openEmbedded(name string) (io.ReadSeekCloser, error) {
	f, err := built.Open("embed/" + name)
	if err != nil {
		return nil, fmt.Errorf("reading the embedded %s: %w", name, err)
	}
	body, ok := f.(io.ReadSeekCloser)
	if !ok {
		return nil, fmt.Errorf("the embedded %s cannot be read twice", name)
	}
	return body, nil
}

// sumEmbedded computes a checksum that only gives each version a name of its own: the bytes of an installed file are
// always compared. A cryptographic one would take a third of a start of goalctl.
func sumEmbedded(name string) (sum uint32, err error) {
	body, err := openEmbedded(name)
	if err != nil {
		return sum, err
	}
	hash := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	_, err = io.Copy(hash, body)
	if err = errors.Join(err, body.Close()); err != nil {
		return sum, fmt.Errorf("reading the embedded %s: %w", name, err)
	}
	return hash.Sum32(), nil
}

// installFile compares and copies in parts, because it runs at every start of the app. sum is the checksum of body.
func installFile(stateDir, packageDir, name string, body io.ReadSeeker, sum uint32) (string, error) {
	file := filepath.Join(packageDir, name)
	if isRootFile(packageDir) && isRootFile(file) && isOurFile(file, body) {
		return file, nil
	}
	path := filepath.Join(stateDir, fmt.Sprintf("%s-%08x", name, sum))
	if isOurFile(path, body) {
		return path, nil
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return "", fmt.Errorf("installing %s: %w", name, err)
	}
	// No program may start now: it would inherit this file open for writing, and the kernel does not execute a
	// file that is open for writing.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	// Write a temporary file and rename it: another process may be executing the old file, or installing this one.
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

// isOurFile reports whether path is a regular file of this user with the bytes of body, and that no other user may
// write.
func isOurFile(path string, body io.ReadSeeker) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode() != 0o755 {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	_, err = body.Seek(0, io.SeekStart)
	isSame := err == nil && equalContents(f, body)
	return f.Close() == nil && isSame
}

// equalContents reports whether a and b have the same bytes. An error counts as a difference.
func equalContents(a, b io.Reader) bool {
	const atOnce = 64 << 10
	partA, partB := make([]byte, atOnce), make([]byte, atOnce)
	for {
		n, errA := io.ReadFull(a, partA)
		m, errB := io.ReadFull(b, partB)
		switch {
		case !bytes.Equal(partA[:n], partB[:m]):
			return false
		case isEnd(errA) && isEnd(errB):
			return true
		case errA != nil || errB != nil:
			return false
		}
	}
}

// isEnd reports whether io.ReadFull failed because nothing is left.
func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

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
