package protect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/fileio"
	"goalpost/backend/folder"
	"goalpost/backend/text"
)

// restoreItem takes what lies at a protected path aside and puts there what it was.
// No link on the way is followed: one that the agent put there is taken aside, too.
func (g *State) restoreItem(root *os.Root, d mismatch, aside string) (err error) {
	parts := strings.Split(d.Path, "/")
	for i := range parts[:len(parts)-1] {
		if err := clearPath(root, strings.Join(parts[:i+1], "/"), aside); err != nil {
			return err
		}
	}
	dir, name, err := folder.OpenParent(root, filepath.FromSlash(d.Path))
	if err != nil {
		return fmt.Errorf("its folder: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if d.Kind == KindForbiddenNew || d.Missing {
		return moveToBackup(dir, name, d.Path, aside)
	}
	was, err := g.originalContent(d.protectedItem)
	if err != nil {
		return err
	}
	if err := moveToBackup(dir, name, d.Path, aside); err != nil {
		return err
	}
	if target, ok := strings.CutPrefix(string(was), "a link to "); ok && d.Mode&fs.ModeSymlink != 0 {
		return text.StripPathError(dir.Symlink(strings.TrimSuffix(target, "\n"), name))
	}
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.Mode.Perm())
	if err != nil {
		return text.StripPathError(err)
	}
	_, err = f.Write(was)
	return text.StripPathError(errors.Join(err, folder.ChownLike(dir, f), f.Chmod(d.Mode.Perm()), f.Close()))
}

// clearPath takes aside what lies at the place of a folder and is none.
func clearPath(root *os.Root, p, aside string) error {
	dir, name, err := folder.OpenParent(root, filepath.FromSlash(p))
	if err != nil {
		return fmt.Errorf("its folder: %w", err)
	}
	if info, statErr := dir.Lstat(name); statErr == nil && !info.IsDir() {
		err = moveToBackup(dir, name, p, aside)
	}
	return errors.Join(err, dir.Close())
}

// moveToBackup moves what lies at name in dir, p seen from the goal's folder, into the
// private folder. A file is copied, as the two may be on different disks; a folder
// at the place of a file is moved within its own, under a name that says so.
func moveToBackup(dir *os.Root, name, p, aside string) error {
	info, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return text.StripPathError(err)
	}
	if info.IsDir() {
		for n := 1; ; n++ {
			to := fmt.Sprintf("%s.aside-%d", name, n)
			if _, err := dir.Lstat(to); errors.Is(err, fs.ErrNotExist) {
				return text.StripPathError(dir.Rename(name, to))
			}
		}
	}
	content, mode, err := protectedContent(dir, name)
	if err == nil {
		to := filepath.Join(aside, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return text.StripPathError(err)
		}
		if err := fileio.WriteFile(to, content, mode.Perm()); err != nil {
			return err
		}
	}
	// What cannot be read (a pipe, a link to nowhere) has nothing to keep.
	return text.StripPathError(dir.Remove(name))
}
