package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"goalpost/backend/core/verify/check"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fileio"
)

const (
	maxStateBytes = 64 << 20 // of one compared file
	maxOutputs    = 500      // files that a check wrote in pre-flight and that are compared
)

// ObserveTrace reduces the trace of a command to what pre-flight would have observed in a folder.
func ObserveTrace(t process.Trace, dir, command string) *goal.Observation {
	o := check.ReduceTrace(t, dir, goal.Check{Type: goal.Shell, Command: command})
	recordStates(dir, o)
	return o
}

// recordStates adds the present states of the files that a check used.
func recordStates(dir string, o *goal.Observation) {
	if o == nil {
		return
	}
	used := slices.Concat(o.Files, o.Found)
	files := make([]string, 0, len(used))
	for _, u := range used {
		files = append(files, u.Path)
	}
	o.States = readStates(dir, files)
}

// readStates returns the present states of files in a folder. It returns nil if the folder cannot be opened: the
// check itself reports that.
func readStates(dir string, files []string) map[string]goal.FileState {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	states := map[string]goal.FileState{}
	for _, file := range files {
		if _, isKnown := states[file]; !isKnown {
			states[file], _ = readState(root, file)
		}
	}
	return states
}

// readState returns a file's present state, and when it last changed.
func readState(root *os.Root, file string) (s goal.FileState, changed time.Time) {
	parts := strings.Split(file, "/")
	for i := range parts {
		at := path.Join(parts[:i+1]...)
		info, err := root.Lstat(at)
		if err != nil {
			return goal.FileState{}, changed
		}
		if info.Mode()&fs.ModeSymlink != 0 && s.Link == "" {
			s.Link = at
		}
		if t := time.Unix(0, fileio.ChangeTime(info)); t.After(changed) && (i == len(parts)-1 || s.Link != "") {
			changed = t
		}
	}
	info, err := root.Stat(file)
	if err != nil { // a link that leads outside, or nowhere
		return goal.FileState{Exists: s.Link != "", Link: s.Link, Mode: fs.ModeSymlink}, changed
	}
	s.Exists, s.Mode = true, info.Mode()
	f, info, err := fileio.Open(root, file)
	if err != nil {
		return s, changed
	}
	defer func() { _ = f.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxStateBytes)); err == nil && info.Size() <= maxStateBytes {
		s.SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return s, changed
}

// outputStates returns the states, before a check runs again, of the files that it wrote in pre-flight.
func (cr CheckRunner) outputStates(k check.Item) map[string]goal.FileState {
	observation := cr.Folder.protectedState().Observation(k.N)
	if observation == nil {
		return nil
	}
	files := slices.Concat(observation.Written, observation.Rewritten)
	return readStates(cr.Environment.Dir, files[:min(len(files), maxOutputs)])
}

// IsCurrent reports whether everything that a check used in a folder, by its observation, is as it was then: it would
// end the same way. An observation that is not complete, or with programs built elsewhere, cannot show that.
func IsCurrent(dir string, o *goal.Observation) bool {
	if o == nil || o.Incomplete != "" || len(o.Built) > 0 {
		return false
	}
	files := slices.Collect(maps.Keys(o.States))
	for _, u := range o.Missing {
		files = append(files, u.Path)
	}
	now := readStates(dir, files)
	for _, file := range files {
		if now[file] != o.States[file] { // the zero value of what was missing
			return false
		}
	}
	return now != nil
}
