package fileio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"goalpost/backend/lib/text"
)

// WriteJSON writes v as a private file, whole or not at all.
func WriteJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("saving %s: %w", filepath.Base(path), err)
	}
	return WriteFile(path, b, 0o600)
}

// ReadJSON reads what WriteJSON wrote.
func ReadJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(path), text.StripPathError(err))
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	return nil
}

// WriteFile writes a private file whole or not at all.
func WriteFile(path string, b []byte, mode fs.FileMode) error {
	return writeFile(path, b, mode, func(*os.File) error { return nil })
}

// WriteDurably is WriteFile for content that must survive a loss of power: it waits until the disk has it.
func WriteDurably(path string, b []byte, mode fs.FileMode) error {
	return writeFile(path, b, mode, (*os.File).Sync)
}

func writeFile(path string, b []byte, mode fs.FileMode, sync func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("saving %s: %w", filepath.Base(path), text.StripPathError(err))
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Chmod(mode), sync(f), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("saving %s: %w", filepath.Base(path), errors.Join(text.StripPathError(err), os.Remove(f.Name())))
	}
	return nil
}
