package store

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/mattn/go-sqlite3"
)

// checkFile reads the beginning of the database and its schema, before anything could write to the file. A missing or
// empty file is an error if there were goals.
func (c *connection) checkFile(ctx context.Context) (err error) {
	if err := c.checkExistence(); err != nil {
		return err
	}
	if info, err := os.Stat(c.path()); err != nil || info.Size() == 0 {
		return nil //nolint:nilerr // it is about to be created
	}
	if err := c.setLogAside(ctx); err != nil {
		return err
	}
	db, err := openDatabase(dataSource(c.path(), "mode=ro"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = readSchema(ctx, db)
	if hasCode(err, sqlite3.ErrCantOpen, sqlite3.ErrReadonly) {
		// Only a writer can open it, for example to roll back what a process that was killed had begun.
		return nil
	}
	return err
}

// readSchema makes SQLite parse the whole schema.
func readSchema(ctx context.Context, db *sql.DB) error {
	_, err := readValue[int](ctx, db, "schema", "SELECT count(*) FROM sqlite_schema")
	return err
}

// checkExistence returns a *missingError if the file is missing or empty although there were goals.
func (c *connection) checkExistence() error {
	info, err := os.Stat(c.path())
	isMissing := errors.Is(err, fs.ErrNotExist)
	if !isMissing && (err != nil || info.Size() > 0) || c.file != "" {
		return nil //nolint:nilerr // opening it says what is wrong
	}
	folders, err := goalFolders(c.dir)
	if err != nil {
		return err
	}
	copies, err := Copies(c.dir)
	if err != nil || len(folders)+len(copies) == 0 {
		return err
	}
	return &missingError{!isMissing, len(folders)}
}

// The first bytes of a write-ahead log, for the two byte orders of its checksums. Zeros are of a log that a loss of
// power ended before anything was committed.
var logMagics = []string{"\x37\x7f\x06\x82", "\x37\x7f\x06\x83", "\x00\x00\x00\x00"}

// setLogAside renames a write-ahead log that is not one, because SQLite would overwrite it without a word. It leaves
// the log of a database that another process has open.
func (c *connection) setLogAside(ctx context.Context) error {
	if isLog, err := isWriteAheadLog(c.path() + "-wal"); err != nil || isLog {
		return err
	}
	if ok, err := c.shared.TryLock(); err != nil || !ok {
		return err //nolint:wrapcheck // lockShared reports it too
	}
	defer func() { _ = c.shared.Unlock() }()
	aside := brokenName(c.path(), c.now()) + "-wal"
	c.log.WarnContext(ctx, "the log of the database is damaged: the last changes may be missing", "kept", aside)
	return os.Rename(c.path()+"-wal", aside) //nolint:wrapcheck // explain describes it
}

// isWriteAheadLog reports whether a file is missing, empty or begins as a write-ahead log does.
func isWriteAheadLog(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err //nolint:wrapcheck // explain describes it
	}
	defer func() { _ = f.Close() }()
	magic := make([]byte, len(logMagics[0]))
	n, err := io.ReadFull(f, magic)
	return n == 0 || err == nil && slices.Contains(logMagics, string(magic)), nil
}
