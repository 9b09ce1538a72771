package protect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"goalpost/backend/lib/text"
)

// flushTimeout bounds the wait for the kernel's last events.
const flushTimeout = 5 * time.Second

// Watcher records changes of what decides a check while the check runs. A program of the agent may change a file
// for a moment and restore it, which a comparison afterwards would not show.
type Watcher struct {
	inner   *fsnotify.Watcher
	dir     string
	mark    string   // a private folder; creating a file in it is the last event
	files   []string // what decides
	touched []string
	blind   error         // why some changes could not be seen
	end     chan struct{} // closed after the last event
}

// Watch starts watching what decides a check. copied says that the check runs on the copies of locked files, so
// that the files themselves may change. It returns nil if there is nothing to watch.
func (s *State) Watch(check int, copied bool) (*Watcher, error) {
	if s == nil {
		return nil, nil
	}
	t := &Watcher{dir: s.dir, end: make(chan struct{})}
	for _, h := range s.items() {
		if slices.Contains(h.Checks, check) && (h.Kind != KindLocked || !copied) {
			t.files = append(t.files, h.Path)
		}
	}
	if len(t.files) == 0 {
		return nil, nil
	}
	var err error
	if t.mark, err = os.MkdirTemp(s.private, "watch-"); err != nil {
		return nil, fmt.Errorf("watching the goal's folder: %w", text.StripPathError(err))
	}
	if t.inner, err = fsnotify.NewWatcher(); err == nil {
		err = t.inner.Add(t.mark)
	}
	if err != nil {
		if t.inner != nil {
			err = errors.Join(err, t.inner.Close())
		}
		return nil, errors.Join(fmt.Errorf("watching the goal's folder: %w", err), os.Remove(t.mark))
	}
	for _, file := range t.files {
		for at := path.Dir(file); ; at = path.Dir(at) { // a folder above may be replaced
			t.addFolder(at)
			if at == "." {
				break
			}
		}
	}
	go t.follow()
	return t, nil
}

func (w *Watcher) addFolder(folder string) {
	at := filepath.Join(w.dir, filepath.FromSlash(folder))
	if slices.Contains(w.inner.WatchList(), at) {
		return
	}
	if err := w.inner.Add(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.blind = err
	}
}

// follow reads events until the mark, or until the watcher is closed.
func (w *Watcher) follow() {
	defer close(w.end)
	for {
		select {
		case e, ok := <-w.inner.Events:
			if !ok || filepath.Dir(e.Name) == w.mark {
				return
			}
			rel, err := filepath.Rel(w.dir, e.Name)
			if err != nil || e.Op == fsnotify.Chmod {
				continue
			}
			w.onEvent(filepath.ToSlash(rel))
		case err, ok := <-w.inner.Errors:
			if !ok {
				return
			}
			w.blind = err
		}
	}
}

// onEvent records a change of a file that decides, or of a folder above it.
func (w *Watcher) onEvent(p string) {
	isOnTheWay := slices.ContainsFunc(w.files, func(file string) bool {
		return file == p || strings.HasPrefix(file, p+"/")
	})
	if isOnTheWay && !slices.Contains(w.touched, p) && len(w.touched) < 10 {
		w.touched = append(w.touched, p)
	}
}

// Stop stops watching and returns what was touched, and why some changes could not be seen.
func (w *Watcher) Stop() (touched []string, blind error) {
	if w == nil {
		return nil, nil
	}
	err := os.WriteFile(filepath.Join(w.mark, "end"), nil, 0o600)
	timer := time.NewTimer(flushTimeout)
	defer timer.Stop()
	select {
	case <-w.end:
	case <-timer.C:
		err = errors.Join(err, errors.New("too many changes in the folder"))
	}
	err = errors.Join(err, w.inner.Close())
	<-w.end
	return w.touched, errors.Join(w.blind, err, os.RemoveAll(w.mark))
}
