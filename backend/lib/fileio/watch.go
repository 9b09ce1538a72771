package fileio

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// Watch calls changed each time that a file has another content, until the returned function ends it. A file that
// is missing or cannot be read is not reported. Watch watches the folder, because programs replace files.
func Watch(path string, changed func()) (end func() error, err error) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(filepath.Dir(path)); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", filepath.Base(path), err)
	}
	done := make(chan struct{})
	last, _ := os.ReadFile(path) // what cannot be read is empty, and so is what is not there
	go func() {
		defer close(done)
		for isOpen := true; isOpen; {
			select {
			case e, ok := <-w.Events:
				if isOpen = ok; !ok || e.Name != path {
					continue
				}
			case _, isOpen = <-w.Errors: // such as events that were lost: the file may have changed
			}
			if now, err := os.ReadFile(path); isOpen && err == nil && !bytes.Equal(now, last) {
				last = now
				changed()
			}
		}
	}()
	return func() error {
		err := w.Close()
		<-done
		return err //nolint:wrapcheck // the caller adds the context
	}, nil
}
