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

	"goalpost/backend/text"
)

// flushTimeout bounds the wait for the last of what the kernel has to report.
const flushTimeout = 5 * time.Second

// Watcher sees what happens to that which decides a check while the check runs. A program of the agent may change it
// for a moment and put it back: compared afterwards, it would be the same.
type Watcher struct {
	inner   *fsnotify.Watcher
	dir     string
	mark    string   // a private folder; a file that is made in it is the last event
	files   []string // what decides
	touched []string
	blind   error         // why not everything can be seen
	over    chan struct{} // closed when the last event was taken
}

// Watch begins to look at what decides a check. copied says that the check runs on the copies of held files, so that
// these themselves may change. It is nil where there is nothing to look at.
func (g *State) Watch(check int, copied bool) (*Watcher, error) {
	if g == nil {
		return nil, nil
	}
	t := &Watcher{dir: g.dir, over: make(chan struct{})}
	for _, h := range g.items() {
		if slices.Contains(h.Checks, check) && (h.Kind != KindLocked || !copied) {
			t.files = append(t.files, h.Path)
		}
	}
	if len(t.files) == 0 {
		return nil, nil
	}
	var err error
	if t.mark, err = os.MkdirTemp(g.private, "watch-"); err != nil {
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
		for at := path.Dir(file); ; at = path.Dir(at) { // a folder above may be exchanged
			t.addFolder(at)
			if at == "." {
				break
			}
		}
	}
	go t.follow()
	return t, nil
}

func (t *Watcher) addFolder(folder string) {
	at := filepath.Join(t.dir, filepath.FromSlash(folder))
	if slices.Contains(t.inner.WatchList(), at) {
		return
	}
	if err := t.inner.Add(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.blind = err
	}
}

// follow takes events until the mark, or until the watcher is closed.
func (t *Watcher) follow() {
	defer close(t.over)
	for {
		select {
		case e, ok := <-t.inner.Events:
			if !ok || filepath.Dir(e.Name) == t.mark {
				return
			}
			rel, err := filepath.Rel(t.dir, e.Name)
			if err != nil || e.Op == fsnotify.Chmod {
				continue
			}
			t.onEvent(filepath.ToSlash(rel))
		case err, ok := <-t.inner.Errors:
			if !ok {
				return
			}
			t.blind = err
		}
	}
}

// onEvent notes what was touched: a file that decides, or a folder that it is in.
func (t *Watcher) onEvent(p string) {
	isOnTheWay := slices.ContainsFunc(t.files, func(file string) bool {
		return file == p || strings.HasPrefix(file, p+"/")
	})
	if isOnTheWay && !slices.Contains(t.touched, p) && len(t.touched) < 10 {
		t.touched = append(t.touched, p)
	}
}

// Stop stops looking and gives what was touched.
func (t *Watcher) Stop() (touched []string, blind error) {
	if t == nil {
		return nil, nil
	}
	err := os.WriteFile(filepath.Join(t.mark, "end"), nil, 0o600)
	timer := time.NewTimer(flushTimeout)
	defer timer.Stop()
	select {
	case <-t.over:
	case <-timer.C:
		err = errors.Join(err, errors.New("too much happens in the folder"))
	}
	err = errors.Join(err, t.inner.Close())
	<-t.over
	return t.touched, errors.Join(t.blind, err, os.RemoveAll(t.mark))
}
