package config

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/fsnotify/fsnotify"
)

// Watch calls changed each time that the settings file has another content, until the returned function ends it.
// It watches the folder, because editors and Goalpost itself replace the file.
func (c *Config) Watch(changed func()) (end func() error, err error) {
	w, err := fsnotify.NewWatcher()
	if err == nil {
		if err = w.Add(c.state); err != nil {
			err = errors.Join(err, w.Close())
		}
	}
	if err != nil {
		return nil, fmt.Errorf("watch the settings: %w", err)
	}
	done := make(chan struct{})
	last, _ := os.ReadFile(c.Path()) // what cannot be read is empty, and so is what is not there
	go func() {
		defer close(done)
		for isOpen := true; isOpen; {
			select {
			case e, ok := <-w.Events:
				if isOpen = ok; !ok || e.Name != c.Path() {
					continue
				}
			case _, isOpen = <-w.Errors: // such as events that were lost: the file may have changed
			}
			if now, err := os.ReadFile(c.Path()); isOpen && err == nil && !bytes.Equal(now, last) {
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
