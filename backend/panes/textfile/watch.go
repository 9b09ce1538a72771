package textfile

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// watch wakes its subscribers when a file may have changed. It watches the file's folder, because many programs save a
// file by renaming another one, and the folder of the file that a symbolic link leads to.
type watch struct {
	path    string
	watcher *fsnotify.Watcher // nil if the kernel has no watch left: the file is then read when it is shown
	done    chan struct{}

	mu          sync.Mutex
	subscribers map[chan struct{}]bool
}

func newWatch(path string) *watch {
	w := &watch{path: path, done: make(chan struct{}), subscribers: map[chan struct{}]bool{}}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		close(w.done)
		return w
	}
	w.watcher = watcher
	names := map[string]bool{path: true}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		names[target] = true
	}
	for name := range names {
		_ = watcher.Add(filepath.Dir(name)) // a folder that is missing has no changes
	}
	go w.run(names)
	return w
}

func (w *watch) run(names map[string]bool) {
	defer close(w.done)
	for {
		select {
		case e, isOpen := <-w.watcher.Events:
			if !isOpen {
				return
			}
			if names[e.Name] {
				w.notify()
			}
		case _, isOpen := <-w.watcher.Errors: // events were lost
			if !isOpen {
				return
			}
			w.notify()
		}
	}
}

// notify wakes all subscribers, now or when they wait the next time.
func (w *watch) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.subscribers {
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

func (w *watch) subscribe() chan struct{} {
	c := make(chan struct{}, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers[c] = true
	return c
}

func (w *watch) unsubscribe(c chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subscribers, c)
}

func (w *watch) close() error {
	if w.watcher == nil {
		return nil
	}
	err := w.watcher.Close()
	<-w.done
	if err != nil && !errors.Is(err, fsnotify.ErrClosed) {
		return fmt.Errorf("end the watch of %s: %w", filepath.Base(w.path), err)
	}
	return nil
}
