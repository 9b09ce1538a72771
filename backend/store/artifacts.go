package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// artifactFiles keeps large results as files named by their hash.
type artifactFiles struct {
	*connection
}

// SaveArtifact stores bytes under their SHA-256, durably, and returns it in hex. Equal bytes are stored once. It is
// called in the transaction that refers to them, so that the removal of unreferenced artifacts cannot happen in
// between.
func (s *artifactFiles) SaveArtifact(b []byte) (string, error) {
	sum := sha256.Sum256(b)
	name := hex.EncodeToString(sum[:])
	path := s.artifact(name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	if err := writeDurably(path, b); err != nil {
		return "", fmt.Errorf("keep artifact: %w", err)
	}
	return name, nil
}

// unfinished is the prefix of a file that is being written.
const unfinished = ".new-"

func writeDurably(path string, b []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("folder: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), unfinished+"*")
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Artifact reads what SaveArtifact stored; os.ErrNotExist if nothing has that hash.
func (s *artifactFiles) Artifact(sum string) ([]byte, error) {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("artifact %q: not a SHA-256: %w", sum, os.ErrNotExist)
	}
	b, err := os.ReadFile(s.artifact(sum))
	if err != nil {
		return nil, fmt.Errorf("artifact: %w", err)
	}
	return b, nil
}

func (s *artifactFiles) artifact(sum string) string {
	return filepath.Join(s.dir, "artifacts", sum[:2], sum)
}
