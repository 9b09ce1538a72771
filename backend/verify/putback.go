package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// putBack takes what lies at a protected path aside and puts there what it was.
func (g *guard) putBack(root *os.Root, d difference, aside string) error {
	if d.Kind == Appears || d.Missing {
		return setAside(root, d.path, aside)
	}
	was, err := g.was(d.held)
	if err != nil {
		return err
	}
	if err := setAside(root, d.path, aside); err != nil {
		return err
	}
	if target, ok := strings.CutPrefix(string(was), "a link to "); ok && d.Mode&fs.ModeSymlink != 0 {
		return plain(root.Symlink(strings.TrimSuffix(target, "\n"), d.path))
	}
	if dir := path.Dir(d.path); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return plain(err)
		}
	}
	f, err := root.OpenFile(d.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.Mode.Perm())
	if err != nil {
		return plain(err)
	}
	_, err = f.Write(was)
	return plain(errors.Join(err, f.Chmod(d.Mode.Perm()), f.Close()))
}

// setAside moves what lies at p into the private folder. A file is copied, as
// the two may be on different disks; anything else at the place of a file is
// moved within the goal's folder, under a name that says so.
func setAside(root *os.Root, p, aside string) error {
	info, err := root.Lstat(p)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return plain(err)
	}
	if info.IsDir() {
		for n := 1; ; n++ {
			to := fmt.Sprintf("%s.aside-%d", p, n)
			if _, err := root.Lstat(to); errors.Is(err, fs.ErrNotExist) {
				return plain(root.Rename(p, to))
			}
		}
	}
	text, mode, err := content(root, p)
	if err == nil {
		to := filepath.Join(aside, filepath.FromSlash(p))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return plain(err)
		}
		if err := writeFile(to, text, mode.Perm()); err != nil {
			return err
		}
	}
	// What cannot be read (a pipe, a link to nowhere) has nothing to keep.
	return plain(root.Remove(p))
}
