package protect

import (
	"context"
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

	"goalpost/backend/ignore"
	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/protect/detect"
)

// maxWatchedDirs is how many folders are watched at most.
const maxWatchedDirs = 50_000

// flushTimeout bounds the wait for the last of what the kernel has to tell.
const flushTimeout = 5 * time.Second

// Watcher sees what happens to that which decides a check while the check runs. A
// program of the agent may change it for a moment and put it back: compared
// afterwards, it would be the same.
type Watcher struct {
	inner   *fsnotify.Watcher
	dir     string
	mark    string // a private folder; a file that is made in it is the last event
	things  []protectedItem
	folders int
	touched []string
	blind   error         // why not everything can be seen
	over    chan struct{} // closed when the last event was taken
}

// Watch begins to look at what decides a check. copied says that the check runs on
// the copies of held files, so that these themselves may change. It is nil where
// there is nothing to look at.
func (g *State) Watch(ctx context.Context, check int, copied bool) (*Watcher, error) {
	if g == nil {
		return nil, nil
	}
	t := &Watcher{dir: g.dir, over: make(chan struct{})}
	for _, h := range g.items() {
		if slices.Contains(h.Checks, check) && h.Part != detect.InstalledPart && (h.Kind != detect.KindLocked || !copied) {
			t.things = append(t.things, h)
		}
	}
	if len(t.things) == 0 {
		return nil, nil
	}
	folders, err := g.dirs(ctx)
	if err != nil {
		return nil, err
	}
	if t.mark, err = os.MkdirTemp(g.private, "watch-"); err != nil {
		return nil, fmt.Errorf("watching the goal's folder: %w", fileio.StripPathError(err))
	}
	if t.inner, err = fsnotify.NewWatcher(); err == nil {
		err = errors.Join(t.inner.Add(t.mark), t.inner.Add(t.dir))
	}
	if err != nil {
		if t.inner != nil {
			err = errors.Join(err, t.inner.Close())
		}
		return nil, errors.Join(fmt.Errorf("watching the goal's folder: %w", err), os.Remove(t.mark))
	}
	for _, folder := range folders {
		if folder != "" && t.isRelevantDir(folder) {
			t.add(folder)
		}
	}
	go t.follow()
	return t, nil
}

// dirs are those of the goal's folder that may hold something that decides.
func (g *State) dirs(ctx context.Context) ([]string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err := g.here.Scan(ctx, g.dir); err != nil {
		return nil, err
	}
	return slices.Clone(g.here.Folders), nil
}

// isRelevantDir says whether something in a folder may decide.
func (t *Watcher) isRelevantDir(folder string) bool {
	return slices.ContainsFunc(t.things, func(h protectedItem) bool {
		base, _, deep := strings.Cut(h.Path, "**")
		if !deep {
			base = path.Dir(h.Path)
		}
		base = strings.TrimSuffix(base, "/")
		return base == folder || isWithin(base, folder) || deep && (base == "" || isWithin(folder, base))
	})
}

// isWithin says whether p lies below folder.
func isWithin(p, folder string) bool { return strings.HasPrefix(p, folder+"/") }

func (t *Watcher) add(folder string) {
	if t.folders++; t.folders > maxWatchedDirs {
		t.blind = fmt.Errorf("there are more than %d folders", maxWatchedDirs)
		return
	}
	err := t.inner.Add(filepath.Join(t.dir, filepath.FromSlash(folder)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
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
			t.onEvent(filepath.ToSlash(rel), e.Op.Has(fsnotify.Create))
		case err, ok := <-t.inner.Errors:
			if !ok {
				return
			}
			t.blind = err
		}
	}
}

// onEvent notes what was touched. A folder that has come is looked into.
func (t *Watcher) onEvent(p string, came bool) {
	if t.isProtected(p) && !slices.Contains(t.touched, p) && len(t.touched) < 10 {
		t.touched = append(t.touched, p)
	}
	if !came || (ignore.Rules{}).Ignored(p, true) {
		return
	}
	root, err := os.OpenRoot(t.dir)
	if err != nil {
		t.blind = fileio.StripPathError(err)
		return
	}
	defer func() { _ = root.Close() }()
	if info, err := root.Lstat(p); err != nil || !info.IsDir() || !t.isRelevantDir(p) {
		return
	}
	t.add(p)
	f, err := root.Open(p)
	if err != nil {
		return // gone again
	}
	list, err := f.Readdirnames(-1)
	if err = errors.Join(err, f.Close()); err != nil {
		t.blind = fileio.StripPathError(err)
	}
	for _, name := range list {
		t.onEvent(path.Join(p, name), true)
	}
}

// isProtected says whether a change at p is one of what decides.
func (t *Watcher) isProtected(p string) bool {
	return slices.ContainsFunc(t.things, func(h protectedItem) bool {
		if h.Kind != detect.KindForbiddenNew {
			return p == h.Path || isWithin(h.Path, p)
		}
		a, err := parseForbidden(h.Path)
		// Bundlers write a settings file for themselves beside the one that they read.
		return err == nil && a.matches(p) && !strings.Contains(p, ".timestamp-")
	})
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
