package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/fault"
)

// brokenPrefix begins the names of databases that were set aside.
const brokenPrefix = "goalpost-broken-"

// Restore puts a copy in the place of the database, and adds the goals that were created after the copy, with empty
// journals. It keeps the former file and returns its path, "" if there was none. No process may have the database open.
func Restore(ctx context.Context, dir string, from Copy) (aside string, err error) {
	return replaceDatabase(ctx, dir, func(path string) error {
		if err := copyFile(from.Path, path); err != nil {
			return err
		}
		s, err := openFile(ctx, Options{Dir: dir}, path)
		if err == nil {
			if err = quickCheck(ctx, s.read); err == nil {
				err = s.Goals.addFromFolders(ctx)
			}
			err = errors.Join(err, s.Close())
		}
		if isDamage(err) {
			return &unusableCopyError{from.Path}
		}
		return err
	})
}

// StartAnew puts an empty database in the place of the present one. It keeps the former file and returns its path, ""
// if there was none. No process may have the database open.
func StartAnew(ctx context.Context, dir string) (aside string, err error) {
	return replaceDatabase(ctx, dir, func(path string) error {
		s, err := openFile(ctx, Options{Dir: dir}, path)
		if err != nil {
			return err
		}
		return s.Close()
	})
}

type unusableCopyError struct{ path string }

func (u *unusableCopyError) Error() string { return "the copy " + u.path + " is damaged too" }

// As lets fault.Of find the hint.
func (u *unusableCopyError) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok {
		*f = fault.New(fault.Internal, u.Error(), "choose an older one: goalctl database copies lists them")
	}
	return ok
}

// replaceDatabase calls prepare to write a new database in a folder of its own, sets the present one aside, and gives
// its name to the new one. If prepare fails, nothing has changed.
func replaceDatabase(ctx context.Context, dir string, prepare func(path string) error) (aside string, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("data folder: %w", err)
	}
	release, err := lockDatabase(ctx, dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, release()) }()
	temp, err := os.MkdirTemp(dir, "new-database-*")
	if err != nil {
		return "", fmt.Errorf("new database: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	prepared := filepath.Join(temp, "goalpost.db")
	if err := prepare(prepared); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "goalpost.db")
	if aside, err = setAside(path, time.Now()); err != nil {
		return "", fmt.Errorf("setting the database aside: %w", err)
	}
	if err := publishFile(prepared, path); err != nil {
		return aside, fmt.Errorf("new database: %w", err)
	}
	return aside, nil
}

// lockDatabase makes this process the only one that may open the database.
func lockDatabase(ctx context.Context, dir string) (release func() error, err error) {
	shared := flock.New(filepath.Join(dir, "db.lock"))
	wait, cancel := context.WithTimeout(ctx, lockProbeTimeout)
	defer cancel()
	if ok, err := shared.TryLockContext(wait, 50*time.Millisecond); ok {
		return shared.Close, nil
	} else if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, errors.Join(fmt.Errorf("lock of the database: %w", err), shared.Close())
	}
	return nil, errors.Join(fault.New(fault.Conflict, "another process of Goalpost has the database open",
		"end the host process with goalctl host stop; running goals are paused and can be resumed"), shared.Close())
}

// brokenName returns a new name for a database that is set aside.
func brokenName(path string, now time.Time) string {
	for ; ; now = now.Add(time.Second) {
		aside := filepath.Join(filepath.Dir(path), brokenPrefix+now.UTC().Format(copyLayout)+copySuffix)
		if taken, err := filepath.Glob(aside + "*"); len(taken) == 0 || err != nil {
			return aside
		}
	}
}

// setAside renames a database with its log, so that SQLite can still open them together. It returns "" if there is
// none.
func setAside(path string, now time.Time) (aside string, err error) {
	aside = brokenName(path, now)
	for _, suffix := range []string{"-wal", "-shm", ""} { // a new database must not find the log of the old one
		err = os.Rename(path+suffix, aside+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err //nolint:wrapcheck // the caller does
		}
	}
	if err != nil {
		return "", nil //nolint:nilerr // there is no file
	}
	return aside, nil
}

// copyFile copies a file to a new private one.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("new database: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return fmt.Errorf("new database: %w", err)
	}
	return nil
}
