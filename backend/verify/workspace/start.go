package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
)

// AtStart is a file as it was at the goal's start. known is false where it was not looked at then: in folders that
// programs fill, and in folders that are too large. Hashes are those of files up to 1 MiB.
func (w *Workspace) AtStart(file string) (s goal.FileState, known bool) {
	if w == nil || w.base.More {
		return s, false
	}
	if e := w.base.byPath[file]; e != nil {
		s = goal.FileState{Exists: true, SHA256: e.SHA256, Mode: e.Mode}
		if e.Target != "" {
			s.Link = file
		}
		return s, e.SHA256 != "" || !e.Mode.IsRegular()
	}
	for at := file; at != "."; at = path.Dir(at) {
		if e := w.base.byPath[at]; e != nil && e.Heap {
			return s, false
		}
		if w.base.rules.Ignored(at, at != file) {
			return s, false
		}
	}
	return s, true
}

// ContentAtStart is what a file held at the goal's start; ok is false where that was not kept.
func (w *Workspace) ContentAtStart(file string) (content []byte, ok bool) {
	if w == nil {
		return nil, false
	}
	e := w.base.byPath[file]
	if e == nil || !e.Mode.IsRegular() {
		return nil, false
	}
	return w.base.content(e)
}

// StartedAt is when the folder was looked at first.
func (w *Workspace) StartedAt() time.Time { return time.Unix(0, w.base.TakenAt) }

// FileDiff is what changed in one file since the start, "" if that is not known.
func (w *Workspace) FileDiff(root *os.Root, file string) string {
	if w == nil {
		return ""
	}
	was, wasOK := w.ContentAtStart(file)
	is, _, err := fileio.Read(root, file, maxHashBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || !wasOK && w.base.byPath[file] != nil ||
		!fileio.IsText(was) || !fileio.IsText(is) {
		return ""
	}
	return UnifiedDiff(file, was, is, err != nil)
}
