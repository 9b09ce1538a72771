package protect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/folder"
	"goalpost/backend/lib/text"
)

// restoreItem moves the present file at a protected path aside and restores the original. It follows no link on the
// way: it also moves aside links that the agent created.
func (s *State) restoreItem(root *os.Root, d mismatch, backup string) (err error) {
	parts := strings.Split(d.Path, "/")
	for i := range parts[:len(parts)-1] {
		if err := clearPath(root, strings.Join(parts[:i+1], "/"), backup); err != nil {
			return err
		}
	}
	dir, name, err := folder.OpenParent(root, filepath.FromSlash(d.Path))
	if err != nil {
		return fmt.Errorf("its folder: %w", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if d.Kind == KindForbiddenNew || d.Missing {
		return moveToBackup(dir, name, d.Path, backup)
	}
	was, err := s.originalContent(d.storedItem)
	if err != nil {
		return err
	}
	if err := moveToBackup(dir, name, d.Path, backup); err != nil {
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

// clearPath moves aside a file or link that is in the place of a folder.
func clearPath(root *os.Root, p, backup string) error {
	dir, name, err := folder.OpenParent(root, filepath.FromSlash(p))
	if err != nil {
		return fmt.Errorf("its folder: %w", err)
	}
	if info, statErr := dir.Lstat(name); statErr == nil && !info.IsDir() {
		err = moveToBackup(dir, name, p, backup)
	}
	return errors.Join(err, dir.Close())
}

// moveToBackup moves name in dir into the private folder; p is its path in the goal's folder. It copies a file,
// because the two folders may be on different disks. It renames a folder that is in the place of a file within its
// parent.
func moveToBackup(dir *os.Root, name, p, backup string) error {
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
	content, mode, err := readContent(dir, name)
	if err == nil {
		to := filepath.Join(backup, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return text.StripPathError(err)
		}
		if err := fileio.WriteFile(to, content, mode.Perm()); err != nil {
			return err
		}
	}
	// A file that cannot be read (a pipe, a dangling link) has no content to keep.
	return text.StripPathError(dir.Remove(name))
}

// RestoreAll restores the protected files, except installed programs. backup is the folder to which it moved the
// changed versions, "" if there were none to keep.
func (s *State) RestoreAll(ctx context.Context) (files []string, backup string, err error) {
	if s == nil {
		return nil, "", nil
	}
	changes, err := s.findChanges(-1)
	if err != nil || len(changes) == 0 {
		return nil, "", err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, "", fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	backup = filepath.Join(s.private, "aside", time.Now().UTC().Format("20060102-150405.000"))
	for _, d := range changes {
		if slices.Contains(files, d.Path) || len(d.Files) > 0 { // restored for another check; installed trees have no copy
			continue
		}
		if err := s.restoreItem(root, d, backup); err != nil {
			return files, backup, fmt.Errorf("restoring %s: %w", d.Path, err)
		}
		files = append(files, d.Path)
	}
	if _, err := os.Lstat(backup); errors.Is(err, fs.ErrNotExist) {
		backup = ""
	}
	return files, backup, s.forgetShown()
}
