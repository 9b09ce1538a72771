package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"goalpost/backend/lib/text"
)

// ErrTooLarge means that a folder has more bytes than may be copied.
var ErrTooLarge = errors.New("the folder is too large to be copied")

// Copy copies what is in one folder to another, which is empty: files, folders and links, with their modes and the
// times of files. It follows no link and leaves out pipes, sockets and devices. It copies at most limit bytes.
func Copy(ctx context.Context, from, to string, limit int64) (err error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return text.StripPathError(err)
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenRoot(to)
	if err != nil {
		return text.StripPathError(err)
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	c := &copying{source: source, target: target, left: limit}
	err = fs.WalkDir(source.FS(), ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err == nil && path != "." {
			err = c.entry(filepath.FromSlash(path), e)
		}
		return err
	})
	if err != nil {
		return err //nolint:wrapcheck // each error names its path
	}
	return c.setModes()
}

// copying is one call of Copy.
type copying struct {
	source, target *os.Root
	left           int64         // bytes that may still be copied
	folders        []fs.FileInfo // whose modes are set at the end, in the order of paths
	paths          []string
}

func (c *copying) entry(path string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return fmt.Errorf("reading %s: %w", path, text.StripPathError(err))
	}
	switch {
	case info.IsDir():
		c.folders, c.paths = append(c.folders, info), append(c.paths, path)
		err = c.target.Mkdir(path, 0o700)
	case info.Mode()&fs.ModeSymlink != 0:
		var to string
		if to, err = c.source.Readlink(path); err == nil {
			err = c.target.Symlink(to, path)
		}
	case info.Mode().IsRegular():
		err = c.file(path, info)
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", path, text.StripPathError(err))
	}
	return nil
}

func (c *copying) file(path string, info fs.FileInfo) error {
	if c.left -= info.Size(); c.left < 0 {
		return ErrTooLarge
	}
	from, err := c.source.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err //nolint:wrapcheck // entry does
	}
	defer func() { _ = from.Close() }()
	to, err := c.target.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err //nolint:wrapcheck // entry does
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Chmod(info.Mode().Perm()), to.Close()); err != nil {
		return err
	}
	return c.target.Chtimes(path, info.ModTime(), info.ModTime()) //nolint:wrapcheck // entry does
}

// setModes sets the modes of folders, the innermost first: a folder may be read-only.
func (c *copying) setModes() error {
	var errs []error
	for i := len(c.paths) - 1; i >= 0; i-- {
		errs = append(errs, text.StripPathError(c.target.Chmod(c.paths[i], c.folders[i].Mode().Perm())))
	}
	return errors.Join(errs...)
}
