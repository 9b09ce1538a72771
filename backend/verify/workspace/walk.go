package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"goalpost/backend/fileio"
	"goalpost/backend/ignore"
	"goalpost/backend/text"
)

// Bounds of a walk.
const (
	maxEntries            = 20_000  // entries that are compared by their content
	maxFingerprintEntries = 200_000 // entries that are looked at: more of them by size and times alone
	maxGeneratedEntries   = 200_000 // entries that are counted in ignored folders
	walkDepth             = 100     // folders in folders
	maxHashBytes          = 1 << 20
)

// Entry is one thing in a goal's folder.
type Entry struct {
	Path   string      `json:"p"`
	Size   int64       `json:"s,omitempty"`
	MTime  int64       `json:"m,omitempty"` // ns since 1970, files only
	CTime  int64       `json:"c,omitempty"`
	Mode   fs.FileMode `json:"o"`
	SHA256 string      `json:"h,omitempty"` // of regular files up to maxHashBytes
	Target string      `json:"t,omitempty"` // of a symlink
	// Count is how many entries an ignored folder holds; it is not looked into.
	Count int  `json:"n,omitempty"`
	Heap  bool `json:"i,omitempty"` // ignored folder
	Kept  bool `json:"k,omitempty"` // its text was kept
	Over  bool `json:"v,omitempty"` // its text would have been too much with the rest
}

// treeWalk looks at everything in a folder, in order of names. No symlink is followed.
type treeWalk struct {
	rules  ignore.Rules
	hidden []string            // folders that are left out
	lines  map[string][]string // of .gitignore files by folder; nil: the rules are fixed
	// sum gives a regular file its SHA-256; nil leaves it out.
	sum func(root *os.Root, name string, e *Entry)

	most    int // entries; 0 is maxEntries
	entries []Entry
	more    bool // there is more than most, or deeper than walkDepth
	heaped  int  // entries counted in ignored folders
}

// run walks dir.
func (w *treeWalk) run(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	if w.most == 0 {
		w.most = maxEntries
	}
	return errors.Join(w.folder(ctx, root, "", 0), root.Close())
}

// folder looks at one folder. An open root a level keeps every look one system call long, however deep it is.
func (w *treeWalk) folder(ctx context.Context, root *os.Root, at string, depth int) error {
	if ctx.Err() != nil {
		return fmt.Errorf("looking at the goal's folder: %w", context.Cause(ctx))
	}
	names, err := listNames(root, w.most-len(w.entries)+1)
	if err != nil {
		return nil //nolint:nilerr // a folder that the agent made unreadable, or removed, shows as its entry alone
	}
	w.addIgnoreRules(root, at)
	var below []string
	for _, name := range names { // files first: a folder that is too full hides none beside it
		info, err := root.Lstat(name)
		switch {
		case ctx.Err() != nil: // files may have to be read
			return fmt.Errorf("looking at the goal's folder: %w", context.Cause(ctx))
		case err != nil: // gone
		case info.IsDir():
			below = append(below, name)
		case w.limitReached():
			return nil
		default:
			w.file(root, name, path.Join(at, name), info)
		}
	}
	for _, name := range below {
		if w.limitReached() {
			return nil
		}
		if err := w.below(ctx, root, name, path.Join(at, name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (w *treeWalk) limitReached() bool {
	w.more = w.more || len(w.entries) >= w.most
	return w.more
}

func (w *treeWalk) file(root *os.Root, name, path string, info fs.FileInfo) {
	if w.rules.Ignored(path, false) {
		return
	}
	e := Entry{Path: path, Mode: info.Mode()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		e.Target, _ = root.Readlink(name) // gone: no target
	case e.Mode.IsRegular():
		e.Size, e.MTime, e.CTime = info.Size(), info.ModTime().UnixNano(), fileio.ChangeTime(info)
		if w.sum != nil && len(w.entries) < maxEntries {
			w.sum(root, name, &e)
		}
	}
	w.entries = append(w.entries, e)
}

func (w *treeWalk) below(ctx context.Context, root *os.Root, name, path string, depth int) error {
	if slices.Contains(w.hidden, path) {
		return nil
	}
	e := Entry{Path: path, Mode: fs.ModeDir}
	if w.rules.Ignored(path, true) {
		e.Heap, e.Count = true, w.countGenerated(root, name)
		w.entries = append(w.entries, e)
		return nil
	}
	if info, err := root.Lstat(name); err == nil {
		e.Mode = info.Mode()
	}
	w.entries = append(w.entries, e)
	if depth >= walkDepth {
		w.more = true
		return nil
	}
	inner, err := root.OpenRoot(name)
	if err != nil {
		return nil //nolint:nilerr // as for folder
	}
	return errors.Join(w.folder(ctx, inner, path, depth+1), inner.Close())
}

// addIgnoreRules takes the rules of a folder's .gitignore. At the start only: an agent could hide its changes with one.
func (w *treeWalk) addIgnoreRules(root *os.Root, path string) {
	if w.lines == nil {
		return
	}
	text, _, err := fileio.Read(root, ".gitignore", 64<<10)
	if err != nil {
		return
	}
	if lines := ignore.Lines(text); len(lines) > 0 {
		w.lines[path], w.rules[path] = lines, ignore.ParseRules(lines)
	}
}

// countGenerated counts what is in an ignored folder, without looking at any of it twice.
func (w *treeWalk) countGenerated(root *os.Root, name string) int {
	below, err := root.OpenRoot(name)
	if err != nil {
		return 0
	}
	defer func() { _ = below.Close() }()
	n := 0
	_ = fs.WalkDir(below.FS(), ".", func(_ string, _ fs.DirEntry, err error) error {
		if w.heaped >= maxGeneratedEntries {
			return fs.SkipAll
		}
		n++
		w.heaped++
		if err != nil {
			return fs.SkipDir
		}
		return nil
	})
	return n
}

// listNames gives at most that many names of a folder, in order.
func listNames(root *os.Root, most int) ([]string, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, text.StripPathError(err)
	}
	names, err := f.Readdirnames(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, errors.Join(err, f.Close())
}

// omissions says what a walk has left out, "" if nothing.
func (w *treeWalk) omissions() string {
	switch {
	case w.more:
		return fmt.Sprintf("the goal's folder holds more than %d entries, or folders more than %d deep", w.most, walkDepth)
	case w.heaped >= maxGeneratedEntries:
		return fmt.Sprintf("the ignored folders of the goal's folder hold more than %d entries", maxGeneratedEntries)
	}
	return ""
}
