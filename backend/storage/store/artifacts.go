package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"goalpost/backend/lib/fileio"
)

// ArtifactFiles stores large results as files that are named by their hash.
type ArtifactFiles struct {
	*connection
}

// SaveArtifact stores bytes under their SHA-256, durably, and returns it in hex. Equal bytes are stored once. It is
// called in the transaction that refers to them, so that the removal of unreferenced artifacts cannot happen in
// between.
func (a *ArtifactFiles) SaveArtifact(b []byte) (string, error) {
	sum := sha256.Sum256(b)
	name := hex.EncodeToString(sum[:])
	path := a.artifact(name)
	if _, err := os.Stat(path); err == nil {
		return name, nil
	}
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = fileio.WriteDurably(path, b, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("keep artifact: %w", err)
	}
	return name, nil
}

// unfinished is the prefix of a file that fileio is writing.
const unfinished = ".new-"

// Artifact reads what SaveArtifact stored; os.ErrNotExist if nothing has that hash.
func (a *ArtifactFiles) Artifact(sum string) ([]byte, error) {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("artifact %q: not a SHA-256: %w", sum, os.ErrNotExist)
	}
	b, err := os.ReadFile(a.artifact(sum))
	if err != nil {
		return nil, fmt.Errorf("artifact: %w", err)
	}
	return b, nil
}

func (a *ArtifactFiles) artifact(sum string) string {
	return filepath.Join(a.dir, "artifacts", sum[:2], sum)
}
