package transcript_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"goalpost/backend/lib/waittest"

	"github.com/fsnotify/fsnotify"
)

// awaitFile waits until the file at path exists. Its folder must exist.
func awaitFile(path string) (err error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, watcher.Close()) }()
	if err := watcher.Add(filepath.Dir(path)); err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	timeout := time.After(late)
	for {
		if _, err := os.Lstat(path); err == nil {
			return nil
		}
		select {
		case <-watcher.Events:
		case err := <-watcher.Errors:
			return fmt.Errorf("watch %s: %w", path, err)
		case <-timeout:
			return fmt.Errorf("no file %s within %s", path, late)
		}
	}
}

// poll waits until done returns true. It is only for what sends no signal to this process: the
// database of a process that is about to be killed, and what a recorder has written.
func poll(done func() (bool, error)) error {
	var ok bool
	var err error
	if !waittest.Reached(context.Background(), late, func() bool { ok, err = done(); return ok || err != nil }) {
		return fmt.Errorf("nothing within %s", late)
	}
	return err
}
