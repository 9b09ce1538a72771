package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"goalpost/backend/ignore"
	"goalpost/backend/verify/fileio"
)

// maxNames bounds a look at names. It is far above what a folder of a user
// holds: where it is reached, that is said, and counts as a difference.
const maxNames = 1_000_000

// NameIndex are the things in a folder, by name and kind alone: many of them cost
// little. Heaps (node_modules, .venv …) are left out. A second run lists again
// only the folders in which something came or went.
type NameIndex struct {
	rules ignore.Rules
	Learn bool // take the rules of .gitignore files
	// want says which files are asked for; nil is all of them.
	Want func(path string) bool

	Entries []Entry
	Folders []string // "" is the top
	Shut    []string // folders that cannot be looked into
	More    bool     // there is more than maxNames, or deeper than walkDepth

	total int                // names so far, wanted or not
	known map[string]listing // by path, of the run before
	next  map[string]listing
}

// listing is what a folder held when it was that folder, with that time of change:
// a name that comes or goes changes it, and no program can set it.
type listing struct {
	ino   uint64
	ctime int64
	names []Entry // what is wanted, and the folders
	total int     // all its names
	leaf  bool    // there is no folder in it
}

// Scan lists the names in dir.
func (n *NameIndex) Scan(ctx context.Context, dir string) error {
	n.Folders = nil
	n.rules, n.Entries, n.Shut, n.More, n.total, n.next = ignore.Rules{}, nil, nil, false, 0, map[string]listing{}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("the goal's folder: %w", fileio.StripPathError(err))
	}
	err = errors.Join(n.folder(ctx, root, "", 0), root.Close())
	n.known = n.next
	return err
}

// folder takes a folder's names, and looks at the folders in it.
func (n *NameIndex) folder(ctx context.Context, root *os.Root, path string, depth int) error {
	if ctx.Err() != nil {
		return fmt.Errorf("looking at the goal's folder: %w", context.Cause(ctx))
	}
	info, err := root.Lstat(".")
	if err != nil {
		n.Shut = append(n.Shut, path)
		return nil
	}
	l, ok := n.cached(path, info)
	if !ok {
		if l, err = n.list(root, path, info); err != nil {
			n.Shut = append(n.Shut, path)
			return nil
		}
	}
	n.Folders = append(n.Folders, path)
	n.total += l.total
	n.More = n.More || n.total >= maxNames
	for _, e := range l.names {
		if !e.Mode.IsDir() {
			n.Entries = append(n.Entries, e)
			continue
		}
		if depth >= walkDepth || n.More {
			n.More = true
			continue
		}
		if err := n.below(ctx, root, e, depth); err != nil {
			return err
		}
	}
	return nil
}

// below looks at a folder in a folder. One that is known and has none in it need not be opened.
func (n *NameIndex) below(ctx context.Context, root *os.Root, e Entry, depth int) error {
	name := e.Path[strings.LastIndexByte(e.Path, '/')+1:]
	if info, err := root.Lstat(name); err == nil {
		if l, ok := n.cached(e.Path, info); ok && l.leaf {
			n.Folders = append(n.Folders, e.Path)
			n.total += l.total
			n.Entries = append(n.Entries, l.names...)
			return nil
		}
	}
	inner, err := root.OpenRoot(name)
	if err != nil { // gone, or nobody may enter it
		if !errors.Is(err, fs.ErrNotExist) {
			n.Shut = append(n.Shut, e.Path)
		}
		return nil
	}
	return errors.Join(n.folder(ctx, inner, e.Path, depth+1), inner.Close())
}

func (n *NameIndex) cached(path string, info fs.FileInfo) (listing, bool) {
	l, ok := n.known[path]
	if !ok || l.ino != fileio.Inode(info) || l.ctime != fileio.ChangeTime(info) || !info.IsDir() {
		return l, false
	}
	n.next[path] = l
	return l, true
}

// list reads a folder. info is from before: what comes shows next time.
func (n *NameIndex) list(root *os.Root, path string, info fs.FileInfo) (listing, error) {
	l := listing{ino: fileio.Inode(info), ctime: fileio.ChangeTime(info), leaf: true}
	f, err := root.Open(".")
	if err != nil {
		return l, fileio.StripPathError(err)
	}
	room := maxNames - n.total
	list, err := f.ReadDir(max(1, room))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	if err := errors.Join(fileio.StripPathError(err), f.Close()); err != nil {
		return l, err
	}
	n.More = n.More || len(list) >= room
	if n.Learn {
		if text, _, err := fileio.Read(root, ".gitignore", 64<<10); err == nil {
			n.rules[path] = ignore.ParseRules(ignore.Lines(text))
		}
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, e := range list {
		at := joinNames(path, e.Name())
		if n.rules.Ignored(at, e.IsDir()) {
			continue
		}
		l.leaf = l.leaf && !e.IsDir()
		if l.total++; e.IsDir() || n.Want == nil || n.Want(at) {
			l.names = append(l.names, Entry{Path: at, Mode: e.Type()})
		}
	}
	if l.ino != 0 && len(list) < room && time.Since(time.Unix(0, l.ctime)) > fileio.TimeGranularity {
		n.next[path] = l
	}
	return l, nil
}

// TooManyFiles is said where nobody can see whether something has appeared.
var TooManyFiles = fmt.Sprintf("the folder holds more than %d names or is deeper than %d folders, so nobody can "+
	"see whether a file that decides has appeared in it", maxNames, walkDepth)
