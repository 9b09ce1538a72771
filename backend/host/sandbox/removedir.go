package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// RemoveLayer removes a goal's private folder. Caches contain folders that are read-only even for their owner.
func RemoveLayer(layer string) error {
	err := os.RemoveAll(layer)
	if err == nil || !errors.Is(err, fs.ErrPermission) {
		return wrapError(err)
	}
	_ = filepath.WalkDir(layer, func(path string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() {
			_ = os.Chmod(path, 0o700) //nolint:gosec // it is removed next
		}
		return nil
	})
	return wrapError(os.RemoveAll(layer))
}

func wrapError(err error) error {
	if err != nil {
		return fmt.Errorf("removing the goal's private folder: %w", err)
	}
	return nil
}
