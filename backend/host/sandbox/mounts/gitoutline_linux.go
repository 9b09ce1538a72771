package mounts

import (
	"crypto/sha1" //nolint:gosec // git names contents by it
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"goalpost/backend/host/sandbox/spec"
)

// outlineDir, in the goal's private folder, stands for the work tree around the goal's folder. It has what git's index
// lists: empty files of the same size and time, from which git concludes that they are unchanged.
const outlineDir = "outline"

// Limits of an outline.
const (
	maxOutlineBytes = 128 << 20 // of files with their content
	maxOutlineFile  = 16 << 20
)

// outline is the outline of a work tree in the making.
type outline struct {
	repository *spec.Repository
	dir        string // the goal's folder
	root       *os.Root
	hooks      []string
	left       int64    // bytes
	parent     *os.File // an open folder of the outline
	parentName string
}

// makeOutline makes the outline of the repository around the goal's folder, and the mount points in it.
func (mp *mountPlanner) makeOutline() (err error) {
	r := mp.w.Repository
	at := mp.privatePath(outlineDir)
	if err := errors.Join(os.RemoveAll(at), os.MkdirAll(at, 0o755)); err != nil {
		return err
	}
	o := outline{repository: r, dir: mp.w.Dir, hooks: hookFolders(r), left: maxOutlineBytes}
	if o.root, err = os.OpenRoot(at); err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	defer func() { err = errors.Join(err, o.closeParent(), o.root.Close()) }()
	entries, err := readIndex(r)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := o.add(e); err != nil {
			return err
		}
	}
	if r.GitDir != filepath.Join(r.Top, ".git") {
		return o.copyPlain(".git")
	}
	return nil
}

// add adds a file of the index. What cannot be added is missing, so git says that it was removed.
func (o *outline) add(e indexEntry) error {
	const folder, file, link, submodule = 0o040000, 0o100000, 0o120000, 0o160000
	path := filepath.Join(o.repository.Top, e.name)
	if !filepath.IsLocal(e.name) || slices.Contains(strings.Split(e.name, "/"), ".git") || spec.IsBelow(path, o.dir) {
		return nil
	}
	if err := o.openParent(filepath.Dir(e.name)); err != nil {
		return err
	}
	at, base := int(o.parent.Fd()), filepath.Base(e.name)
	switch e.mode & 0o170000 {
	case folder, submodule: // a folder is of a sparse index
		return ignoreExists(unix.Mkdirat(at, base, 0o755))
	case link:
		text, err := os.Readlink(path)
		if err != nil || hashOf([]byte(text)) != e.object {
			return nil //nolint:nilerr // the user replaced it
		}
		if err := unix.Symlinkat(text, at, base); err != nil {
			return ignoreExists(err)
		}
	case file:
		if err := o.addFile(at, base, path, e); err != nil {
			return err
		}
	}
	return ignoreExists(unix.UtimesNanoAt(at, base, []unix.Timespec{e.changed, e.changed}, unix.AT_SYMLINK_NOFOLLOW))
}

// addFile creates a file. It has its content, and can be read, if git obeys it.
func (o *outline) addFile(at int, base, path string, e indexEntry) error {
	mode := e.mode & 0o100
	content, readable := o.contentFor(base, path, e)
	if readable {
		mode = e.mode & 0o555
	}
	fd, err := unix.Openat(at, base, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return ignoreExists(err)
	}
	f := os.NewFile(uintptr(fd), base)
	if readable {
		_, err = f.Write(content)
	} else {
		err = f.Truncate(int64(e.size))
	}
	return errors.Join(err, f.Close())
}

// contentFor returns the content of a file that git obeys. An agent may have written the index, so that the content
// must be the one that the index names.
func (o *outline) contentFor(base, path string, e indexEntry) (content []byte, readable bool) {
	isHook := slices.ContainsFunc(o.hooks, func(dir string) bool { return spec.IsBelow(path, dir) })
	if !isHook && !slices.Contains(gitReadNames, base) {
		return nil, false
	}
	if o.left -= int64(e.size); o.left < 0 {
		return nil, false
	}
	content, err := readPlain(path)
	return content, err == nil && hashOf(content) == e.object
}

// gitReadNames are the names of files that git reads in a work tree.
var gitReadNames = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// openParent opens a folder of the outline, and creates it if it is missing.
func (o *outline) openParent(name string) error {
	if o.parent != nil && o.parentName == name {
		return nil
	}
	if err := o.closeParent(); err != nil {
		return err
	}
	if err := o.root.MkdirAll(name, 0o755); err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	var err error
	o.parent, err = o.root.Open(name)
	o.parentName = name
	return err //nolint:wrapcheck // plan wraps it
}

func (o *outline) closeParent() error {
	if o.parent == nil {
		return nil
	}
	err := o.parent.Close()
	o.parent = nil
	return err //nolint:wrapcheck // plan wraps it
}

// copyPlain copies a file of the work tree.
func (o *outline) copyPlain(name string) error {
	content, err := readPlain(filepath.Join(o.repository.Top, name))
	if err != nil {
		return err
	}
	return o.root.WriteFile(name, content, 0o444) //nolint:wrapcheck // plan wraps it
}

// readPlain reads a regular file.
func readPlain(path string) ([]byte, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	f := os.NewFile(uintptr(fd), path)
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxOutlineFile {
		return nil, errors.Join(errIndex, err)
	}
	return io.ReadAll(io.LimitReader(f, maxOutlineFile)) //nolint:wrapcheck // it says read and the path
}

// hashOf returns git's name of a content.
func hashOf(content []byte) [sha1.Size]byte {
	header := []byte("blob " + strconv.Itoa(len(content)) + "\x00")
	return sha1.Sum(slices.Concat(header, content)) //nolint:gosec // see above
}

// ignoreExists ignores that a name exists, or that a parent is a file or a link: the index of a merge has a file
// several times, and one that an agent wrote has anything.
func ignoreExists(err error) error {
	if errors.Is(err, unix.EEXIST) || errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENAMETOOLONG) {
		return nil
	}
	return err
}
