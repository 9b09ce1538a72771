package sandbox

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/sandbox/wire"
)

// places makes the places in the private home and in /tmp onto which the helper
// mounts; where both are read-only inside it could not. A goal that ran before may
// have put links there: an os.Root follows none out.
func (p *planner) places() error {
	for layer, target := range map[string]string{"home": p.w.Home, "tmp": "/tmp"} {
		root, err := os.OpenRoot(p.path(layer))
		if err != nil {
			return err //nolint:wrapcheck // plan says what for
		}
		for _, m := range p.out.Mounts {
			if !within(string(m.Target), target) || string(m.Target) == target || m.Kind == wire.Link {
				continue
			}
			if err = p.placeOne(root, strings.TrimPrefix(string(m.Target), target+"/"), m); err != nil {
				break
			}
		}
		if err := errors.Join(err, root.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (p *planner) placeOne(root *os.Root, name string, m wire.Mount) error {
	folder := true
	if m.Kind == wire.Text {
		folder = false
	} else if info, err := os.Stat(string(m.Source)); err == nil {
		folder = info.IsDir()
	}
	missing := name // the first of the folders to make, to give them away
	for at := name; at != "."; at = filepath.Dir(at) {
		if _, err := root.Lstat(at); err == nil {
			break
		}
		missing = at
	}
	parent := name
	if !folder {
		parent = filepath.Dir(name)
	}
	if err := root.MkdirAll(parent, 0o755); err != nil {
		return err //nolint:wrapcheck // plan says what for
	}
	if !folder {
		f, err := root.OpenFile(name, os.O_CREATE|os.O_RDONLY, 0o644)
		if err != nil {
			return err //nolint:wrapcheck // plan says what for
		}
		_ = f.Close()
	}
	if os.Getuid() != 0 {
		return nil
	}
	for at := name; ; at = filepath.Dir(at) {
		if err := root.Lchown(at, p.out.UID, p.out.GID); err != nil {
			return err //nolint:wrapcheck // plan says what for
		}
		if at == missing || at == "." {
			return nil
		}
	}
}

// git gives the goal copies of what git obeys in a repository that is there at
// the first start. The folder .git becomes a mount of its own: else the goal could
// rename it and make another.
func (p *planner) git() error {
	repo := filepath.Join(p.w.Dir, ".git")
	if info, err := os.Lstat(repo); err != nil || !info.IsDir() {
		return nil //nolint:nilerr // no repository
	}
	p.bind(repo, repo, !p.w.ReadOnly, !p.w.ReadOnly)
	for _, name := range gitProtected {
		source, dest := filepath.Join(repo, name), p.path("git", name)
		info, err := os.Lstat(source)
		if err != nil || info.Mode()&os.ModeSymlink != 0 {
			continue
		}
		if _, err := os.Lstat(dest); errors.Is(err, os.ErrNotExist) {
			if err := p.copy(source, dest, info); err != nil {
				return err
			}
		}
		p.bind(dest, source, !p.w.ReadOnly, !p.w.ReadOnly)
	}
	return nil
}

// copy copies a file, or a folder of files.
func (p *planner) copy(source, dest string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return p.copyFile(source, dest, info)
	}
	if err := p.own(dest); err != nil {
		return err
	}
	entries, err := os.ReadDir(source)
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if infoErr != nil || !info.Mode().IsRegular() {
			continue
		}
		err = errors.Join(err, p.copyFile(filepath.Join(source, entry.Name()), filepath.Join(dest, entry.Name()), info))
	}
	return err
}

func (p *planner) copyFile(source, dest string, info os.FileInfo) (err error) {
	in, err := os.Open(source)
	if err != nil {
		return err //nolint:wrapcheck // plan says what for
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err //nolint:wrapcheck // plan says what for
	}
	_, err = io.Copy(out, in)
	err = errors.Join(err, out.Close())
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(dest, p.out.UID, p.out.GID)
	}
	return err //nolint:wrapcheck // plan says what for
}
