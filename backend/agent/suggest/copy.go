package suggest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrTooLarge means that a folder is too large to be copied for trying a check in it.
var ErrTooLarge = errors.New("the folder is too large to be copied")

// Limits of a copy.
const (
	maxCopyEntries = 20_000
	maxCopyBytes   = 400 << 20
)

// CopyFolder copies a folder into an empty one, so that a proposed command can be tried without changing the user's
// files. Links stay links; anything but files, folders and links is left out. It returns ErrTooLarge for a folder above
// the limits.
func CopyFolder(ctx context.Context, from, to string) error {
	source, err := os.OpenRoot(from)
	if err != nil {
		return fmt.Errorf("copy the folder: %w", err)
	}
	defer func() { _ = source.Close() }()
	entries, bytesLeft := 0, int64(maxCopyBytes)
	err = fs.WalkDir(source.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == "." {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if entries++; entries > maxCopyEntries {
			return ErrTooLarge
		}
		target := filepath.Join(to, filepath.FromSlash(p))
		switch {
		case d.IsDir():
			return os.Mkdir(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := source.Readlink(p)
			if err != nil {
				return err //nolint:wrapcheck // wrapped below
			}
			return os.Symlink(link, target)
		case d.Type().IsRegular():
			return copyFile(source, p, target, &bytesLeft)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("copy the folder: %w", err)
	}
	return nil
}

// copyFile copies one file and subtracts its size from bytesLeft.
func copyFile(source *os.Root, name, target string, bytesLeft *int64) (err error) {
	in, err := source.Open(name)
	if err != nil {
		return err //nolint:wrapcheck // the caller names what is copied
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err //nolint:wrapcheck // the caller names what is copied
	}
	if info.Size() > *bytesLeft {
		return ErrTooLarge
	}
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err //nolint:wrapcheck // the caller names what is copied
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	n, err := io.Copy(out, io.LimitReader(in, *bytesLeft+1))
	if *bytesLeft -= n; *bytesLeft < 0 {
		return ErrTooLarge
	}
	return err //nolint:wrapcheck // the caller names what is copied
}
