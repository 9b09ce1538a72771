package verify

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
)

const (
	settleTime     = time.Second // from a change until the files are compared, so that a write can end
	maxWatchedDirs = 2000
)

// usedFiles returns the files of the goal's folder that a passing check used.
func (cr CheckRunner) usedFiles(ctx context.Context, k check.Item, r check.Result) []string {
	var files []string
	switch {
	case k.Type == goal.File, k.Type == goal.JSONPredicate && k.From == goal.FromFile:
		files = []string{path.Clean(k.Path)}
	case k.RunsCommand() && r.Observation != nil:
		for _, u := range r.Observation.Files {
			files = append(files, u.Path)
		}
	case k.RunsCommand(): // it was not observed
		files, _ = cr.Folder.baseline().ChangedFiles(ctx) // none if they are unknown
	}
	return slices.DeleteFunc(files, inputs.IsCache)
}

// recordVerified stores which files the checks of a verified claim used.
func (f *FolderState) recordVerified(files []string) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.verified = files
}

// VerifiedWatch notices changes in the files that the checks of a done goal used, while programs of the goal run that
// can write there. It does not know who changed a file.
type VerifiedWatch struct {
	dir     string
	after   func(time.Duration) <-chan time.Time
	report  func(change string)
	events  *fsnotify.Watcher // nil if the folder cannot be watched: then only End compares
	folders map[string]bool   // of the files, and those above
	loop    sync.WaitGroup

	mu      sync.Mutex
	was     map[string]goal.FileState // of the files that have not changed
	changed []string                  // sorted
}

// WatchVerified watches the files that the last verified claim used in dir, from their present state on. report
// receives all changes so far in a sentence, and is not called concurrently. It returns nil if there is nothing to
// watch.
func (f *FolderState) WatchVerified(
	dir string, after func(time.Duration) <-chan time.Time, report func(change string),
) *VerifiedWatch {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	files := f.verified
	f.mu.Unlock()
	if len(files) == 0 {
		return nil
	}
	w := &VerifiedWatch{dir: dir, after: after, report: report, folders: map[string]bool{}}
	events, err := fsnotify.NewWatcher()
	if err == nil {
		w.events = events
		w.addFolders(files)
	}
	w.was = readStates(dir, files)
	if err == nil {
		w.loop.Go(w.follow)
	}
	return w
}

// addFolders watches the folders of the files, and those above, which may be replaced.
func (v *VerifiedWatch) addFolders(files []string) {
	for _, file := range files {
		for at := path.Dir(file); !v.folders[at] && len(v.folders) < maxWatchedDirs; at = path.Dir(at) {
			v.folders[at] = true
			_ = v.events.Add(filepath.Join(v.dir, filepath.FromSlash(at))) // End compares in any case
		}
	}
}

// follow compares what has changed in the folders, a moment after the first change.
func (v *VerifiedWatch) follow() {
	var settled <-chan time.Time
	var touched []string
	for {
		select {
		case e, ok := <-v.events.Events:
			if !ok {
				return
			}
			if at, isAbout := v.place(e.Name); isAbout {
				touched = append(touched, at)
			}
		case _, ok := <-v.events.Errors: // events were lost
			if !ok {
				return
			}
			touched = append(touched, ".")
		case <-settled:
			v.compare(touched)
			settled, touched = nil, nil
		}
		if settled == nil && len(touched) > 0 {
			settled = v.after(settleTime)
		}
	}
}

// place returns the path in the folder that an event names, and whether it is a file of the checks or above one.
func (v *VerifiedWatch) place(name string) (rel string, isAbout bool) {
	rel, err := filepath.Rel(v.dir, name)
	if err != nil {
		return ".", true
	}
	rel = filepath.ToSlash(rel)
	v.mu.Lock()
	defer v.mu.Unlock()
	_, isUsed := v.was[rel]
	return rel, isUsed || v.folders[rel] && rel != "."
}

// compare reports which of the files at these places, or below, have changed since the last comparison.
func (v *VerifiedWatch) compare(places []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	var files []string
	for file := range v.was {
		if slices.ContainsFunc(places, func(at string) bool {
			return at == "." || at == file || strings.HasPrefix(file, at+"/")
		}) {
			files = append(files, file)
		}
	}
	n := len(v.changed)
	for file, is := range readStates(v.dir, files) {
		if is != v.was[file] {
			v.changed = append(v.changed, file)
			delete(v.was, file)
		}
	}
	if len(v.changed) > n {
		slices.Sort(v.changed)
		v.report(describeChanged(v.changed))
	}
}

// End compares the files once more and stops. It does nothing for nil.
func (v *VerifiedWatch) End() {
	if v == nil {
		return
	}
	v.Cancel()
	v.compare([]string{"."})
}

// Cancel stops without comparing. It may be called more than once, and does nothing for nil.
func (v *VerifiedWatch) Cancel() {
	if v == nil || v.events == nil {
		return
	}
	_ = v.events.Close()
	v.loop.Wait()
}

// describeChanged says which files have changed after the goal was done.
func describeChanged(files []string) string {
	const maxNamed = 5
	named := strings.Join(files[:min(len(files), maxNamed)], ", ")
	if n := len(files) - maxNamed; n > 0 {
		named += fmt.Sprintf(" and %d more", n)
	}
	return named + ": used by a check, and changed after the goal was done, while programs of the goal could write there"
}
