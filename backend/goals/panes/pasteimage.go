package panes

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/shell"
)

const (
	// pastedDir is the folder for pasted pictures, in the data folder.
	pastedDir = "pasted"
	// pastedFor is how long a pasted picture is kept. Older ones are deleted when another one is pasted.
	pastedFor = 7 * 24 * time.Hour
	// maxPasted is the size of the largest picture that can be pasted. As base64 it fits into one call.
	maxPasted = 5 << 20
)

// pictureEndings are the kinds of pictures that are written, by their content.
var pictureEndings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
}

// PasteImage writes a pasted picture, encoded as base64, into a private folder, and returns its path as a shell reads
// it.
func (r *Registry) PasteImage(id, encoded string) (string, error) {
	s, err := r.Terminal(id)
	if err != nil {
		return "", err
	}
	if info := s.Info(); info.GoalID != "" || info.Server != "" {
		return "", fault.New(fault.Conflict, "the programs of this terminal cannot read a pasted picture",
			"copy the picture to where they can read it, and type its path")
	}
	content, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return "", fmt.Errorf("paste a picture: %w", err)
	}
	ending := pictureEndings[http.DetectContentType(content)]
	if ending == "" || len(content) > maxPasted {
		return "", fault.Invalid("image", "what was pasted is not a picture that can be written",
			fmt.Sprintf("use PNG, JPEG, GIF or WebP of at most %d MiB", maxPasted>>20))
	}
	path, err := writePasted(filepath.Join(r.Config.State(), pastedDir), ending, content)
	if err != nil {
		return "", fmt.Errorf("paste a picture: %w", err)
	}
	return shell.QuoteIfNeeded(path), nil
}

// writePasted writes a file of its own name, and deletes old ones.
func writePasted(dir, ending string, content []byte) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making its folder: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", fmt.Errorf("reading its folder: %w", err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > pastedFor {
			_ = os.Remove(filepath.Join(dir, e.Name())) // it is tried again at the next paste
		}
	}
	f, err := os.CreateTemp(dir, "picture-*"+ending)
	if err != nil {
		return "", fmt.Errorf("making its file: %w", err)
	}
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("writing its file: %w", err)
	}
	return f.Name(), nil
}
