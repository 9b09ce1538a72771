// Package folder writes files in a goal's folder for the host, while the goal's programs may change that folder at
// any moment. It follows no link, whatever is swapped in, and touches nothing in .git: a link to .git/config would be
// code that git runs outside the sandbox, as the user.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"goalpost/backend/lib/text"
)

// OpenParent opens the folder above rel, a local path below root, and creates missing folders. name is the last part
// of rel. The caller closes the result.
func OpenParent(root *os.Root, rel string) (dir *os.Root, name string, err error) {
	parts := strings.Split(filepath.Clean(rel), string(filepath.Separator))
	for _, p := range parts {
		if strings.EqualFold(p, ".git") { // some file systems ignore case
			return nil, "", fmt.Errorf("%s is in git's own folder; change it with git", rel)
		}
	}
	if dir, err = root.OpenRoot("."); err != nil {
		return nil, "", text.StripPathError(err)
	}
	last := len(parts) - 1
	for i, p := range parts[:last] {
		below, err := openSubdir(dir, p, filepath.Join(parts[:i+1]...))
		if err = errors.Join(err, dir.Close()); err != nil {
			return nil, "", err
		}
		dir = below
	}
	return dir, parts[last], nil
}

// openSubdir opens one folder. It checks that the open folder is the one that it saw: a program may put a link there
// in between.
func openSubdir(dir *os.Root, name, path string) (*os.Root, error) {
	mkdirErr := dir.Mkdir(name, 0o755)
	if mkdirErr != nil && !errors.Is(mkdirErr, fs.ErrExist) {
		return nil, text.StripPathError(mkdirErr)
	}
	info, err := dir.Lstat(name)
	if err != nil {
		return nil, text.StripPathError(err)
	}
	if err := rejectSymlink(dir, name, path, info); err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder", path)
	}
	below, err := dir.OpenRoot(name)
	if err != nil {
		return nil, text.StripPathError(err)
	}
	if openInfo, err := below.Stat("."); err != nil || !os.SameFile(info, openInfo) {
		return nil, errors.Join(fmt.Errorf("%s changed while it was opened; try again", path), below.Close())
	}
	if mkdirErr == nil {
		if err := chownDirLike(dir, below); err != nil {
			return nil, errors.Join(err, below.Close())
		}
	}
	return below, nil
}

// chownDirLike gives the folder that was just made in dir to the owner of dir.
func chownDirLike(dir, below *os.Root) error {
	f, err := below.Open(".")
	if err != nil {
		return text.StripPathError(err)
	}
	return errors.Join(ChownLike(dir, f), text.StripPathError(f.Close()))
}

// Write replaces the content of a file at rel, and creates it and the folders above it if they are missing. A file that
// existed keeps its mode, owner and other names, and its content if there is no room for the new one.
func Write(root *os.Root, rel string, content []byte) (err error) {
	dir, name, err := OpenParent(root, rel)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return create(dir, name, content)
	}
	if err != nil {
		return text.StripPathError(err)
	}
	if err := rejectSymlink(dir, name, rel, info); err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", rel)
	}
	// It is changed only once it is known to be a regular file. Opening a pipe would block.
	f, err := dir.OpenFile(name, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return text.StripPathError(err)
	}
	openInfo, err := f.Stat()
	if err == nil && !os.SameFile(info, openInfo) {
		err = fmt.Errorf("%s changed while it was opened; try again", rel)
	}
	if err == nil {
		err = replace(f, info.Size(), content)
	}
	return errors.Join(text.StripPathError(err), text.StripPathError(f.Close()))
}

// create writes a new file, whole or not at all.
func create(dir *os.Root, name string, content []byte) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return text.StripPathError(err)
	}
	if err = ChownLike(dir, f); err == nil {
		_, err = f.Write(content)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(text.StripPathError(err), text.StripPathError(dir.Remove(name)))
	}
	return nil
}

// replace replaces the content of a file that has size bytes. The room for more is reserved first.
func replace(f *os.File, size int64, content []byte) error {
	if err := reserve(f, size, int64(len(content))); err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	_, err := f.WriteAt(content, 0)
	return errors.Join(err, f.Truncate(int64(len(content))))
}

func rejectSymlink(dir *os.Root, name, path string, info fs.FileInfo) error {
	if info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	to, err := dir.Readlink(name)
	if err != nil {
		return text.StripPathError(err)
	}
	return fmt.Errorf("%s is a link to %s, and writing does not follow links; use the path that it points to", path,
		to)
}
