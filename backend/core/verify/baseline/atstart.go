package baseline

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
)

// AtStart returns a file's state at the goal's start. isKnown is false for files in ignored folders, in hidden ones,
// and in folders that were too large to record. Files over 1 MiB have no hash.
func (ba *Baseline) AtStart(file string) (s goal.FileState, isKnown bool) {
	if ba == nil || ba.start.More {
		return s, false
	}
	if e := ba.start.byPath[file]; e != nil {
		s = goal.FileState{Exists: true, SHA256: e.SHA256, Mode: e.Mode}
		if e.Target != "" {
			s.Link = file
		}
		return s, e.SHA256 != "" || !e.Mode.IsRegular()
	}
	for at := file; at != "."; at = path.Dir(at) {
		if e := ba.start.byPath[at]; e != nil && e.Heap {
			return s, false
		}
		if ba.start.rules.Ignored(at, at != file) {
			return s, false
		}
	}
	return s, true
}

// ContentAtStart returns a file's content at the goal's start; ok is false if it was not stored.
func (ba *Baseline) ContentAtStart(file string) (content []byte, ok bool) {
	if ba == nil {
		return nil, false
	}
	e := ba.start.byPath[file]
	if e == nil || !e.Mode.IsRegular() {
		return nil, false
	}
	return ba.start.content(e)
}

// StartedAt returns when the folder was recorded.
func (ba *Baseline) StartedAt() time.Time { return time.Unix(0, ba.start.TakenAt) }

// FileDiff returns the changes in one file since the start, "" if they are unknown.
func (ba *Baseline) FileDiff(root *os.Root, file string) string {
	if ba == nil {
		return ""
	}
	was, wasOK := ba.ContentAtStart(file)
	is, _, err := fileio.Read(root, file, maxHashBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) || !wasOK && ba.start.byPath[file] != nil ||
		!fileio.IsText(was) || !fileio.IsText(is) {
		return ""
	}
	return UnifiedDiff(file, was, is, err != nil)
}
