package baseline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// Limits of a walk.
const (
	maxEntries            = 20_000  // entries that are compared by content
	maxFingerprintEntries = 200_000 // entries that are recorded; those past maxEntries by size and times alone
	maxGeneratedEntries   = 200_000 // entries that are counted in ignored folders
	maxWalkDepth          = 100     // levels of folders
	maxHashBytes          = 1 << 20
)

// Entry is a file, link or folder in a goal's folder.
type Entry struct {
	Path   string      `json:"p"`
	Size   int64       `json:"s,omitempty"`
	MTime  int64       `json:"m,omitempty"` // ns since 1970, files only
	CTime  int64       `json:"c,omitempty"`
	Mode   fs.FileMode `json:"o"`
	SHA256 string      `json:"h,omitempty"` // of regular files up to maxHashBytes
	Target string      `json:"t,omitempty"` // of a symlink
	// Count is the number of entries in an ignored folder, whose content is not recorded.
	Count int  `json:"n,omitempty"`
	Heap  bool `json:"i,omitempty"` // ignored folder
	Kept  bool `json:"k,omitempty"` // its text was copied
}

// treeWalk records everything in a folder, sorted by name. It follows no symlink.
type treeWalk struct {
	rules  ignore.Rules
	hidden []string            // folders that are left out
	lines  map[string][]string // of .gitignore files by folder; nil if the rules are fixed
	// sum sets the SHA-256 of a regular file; nil leaves it out.
	sum func(root *os.Root, name string, e *Entry)

	limit   int // entries; 0 means maxEntries
	entries []Entry
	more    bool // more than maxEntries, or deeper than maxWalkDepth
	heaped  int  // entries counted in ignored folders so far
}

// run walks dir.
func (t *treeWalk) run(ctx context.Context, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	if t.limit == 0 {
		t.limit = maxEntries
	}
	return errors.Join(t.addFolder(ctx, root, "", 0), root.Close())
}

// addFolder records one folder. An open os.Root per level makes each lookup one system call at any depth.
func (t *treeWalk) addFolder(ctx context.Context, root *os.Root, at string, depth int) error {
	if ctx.Err() != nil {
		return fmt.Errorf("reading the goal's folder: %w", context.Cause(ctx))
	}
	names, err := listNames(root, t.limit-len(t.entries)+1)
	if err != nil {
		return nil //nolint:nilerr // an unreadable or removed folder is recorded as an entry without content
	}
	t.addIgnoreRules(root, at)
	var below []string
	for _, name := range names { // files first: a huge folder must not hide the files beside it
		info, err := root.Lstat(name)
		switch {
		case ctx.Err() != nil: // reading files takes time
			return fmt.Errorf("reading the goal's folder: %w", context.Cause(ctx))
		case err != nil: // gone
		case info.IsDir():
			below = append(below, name)
		case t.isFull():
			return nil
		default:
			t.addFile(root, name, path.Join(at, name), info)
		}
	}
	for _, name := range below {
		if t.isFull() {
			return nil
		}
		if err := t.addSubfolder(ctx, root, name, path.Join(at, name), depth); err != nil {
			return err
		}
	}
	return nil
}

func (t *treeWalk) isFull() bool {
	t.more = t.more || len(t.entries) >= t.limit
	return t.more
}

func (t *treeWalk) addFile(root *os.Root, name, path string, info fs.FileInfo) {
	if t.rules.Ignored(path, false) {
		return
	}
	e := Entry{Path: path, Mode: info.Mode()}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		e.Target, _ = root.Readlink(name) // gone: no target
	case e.Mode.IsRegular():
		e.Size, e.MTime, e.CTime = info.Size(), info.ModTime().UnixNano(), fileio.ChangeTime(info)
		if t.sum != nil && len(t.entries) < maxEntries {
			t.sum(root, name, &e)
		}
	}
	t.entries = append(t.entries, e)
}

func (t *treeWalk) addSubfolder(ctx context.Context, root *os.Root, name, path string, depth int) error {
	if slices.Contains(t.hidden, path) {
		return nil
	}
	e := Entry{Path: path, Mode: fs.ModeDir}
	if t.rules.Ignored(path, true) {
		e.Heap, e.Count = true, t.countGenerated(root, name)
		t.entries = append(t.entries, e)
		return nil
	}
	if info, err := root.Lstat(name); err == nil {
		e.Mode = info.Mode()
	}
	t.entries = append(t.entries, e)
	if depth >= maxWalkDepth {
		t.more = true
		return nil
	}
	inner, err := root.OpenRoot(name)
	if err != nil {
		return nil //nolint:nilerr // as in addFolder
	}
	return errors.Join(t.addFolder(ctx, inner, path, depth+1), inner.Close())
}

// addIgnoreRules adds the rules of a folder's .gitignore, at the start only: later an agent could hide its changes
// with one.
func (t *treeWalk) addIgnoreRules(root *os.Root, path string) {
	if t.lines == nil {
		return
	}
	text, _, err := fileio.Read(root, ".gitignore", 64<<10)
	if err != nil {
		return
	}
	if lines := ignore.Lines(text); len(lines) > 0 {
		t.lines[path], t.rules[path] = lines, ignore.ParseRules(lines)
	}
}

// countGenerated counts the entries of an ignored folder, up to maxGeneratedEntries over all of them.
func (t *treeWalk) countGenerated(root *os.Root, name string) int {
	below, err := root.OpenRoot(name)
	if err != nil {
		return 0
	}
	defer func() { _ = below.Close() }()
	n := 0
	_ = fs.WalkDir(below.FS(), ".", func(_ string, _ fs.DirEntry, err error) error {
		if t.heaped >= maxGeneratedEntries {
			return fs.SkipAll
		}
		n++
		t.heaped++
		if err != nil {
			return fs.SkipDir
		}
		return nil
	})
	return n
}

// listNames returns up to that many names in a folder, sorted.
func listNames(root *os.Root, maxNames int) ([]string, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, text.StripPathError(err)
	}
	names, err := f.Readdirnames(maxNames)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.Sort(names)
	return names, errors.Join(err, f.Close())
}

// omissions describes what a walk skipped, "" if nothing.
func (t *treeWalk) omissions() string {
	switch {
	case t.more:
		return fmt.Sprintf("the goal's folder contains more than %d entries, or more than %d levels of folders",
			t.limit, maxWalkDepth)
	case t.heaped >= maxGeneratedEntries:
		return fmt.Sprintf("the ignored folders in the goal's folder contain more than %d entries", maxGeneratedEntries)
	}
	return ""
}
