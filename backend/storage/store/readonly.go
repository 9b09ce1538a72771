package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/domain/event"
	"goalpost/backend/lib/fault"
)

// OutdatedSchemaError means that an older version of the program wrote the database, and it has not been migrated
// yet.
type OutdatedSchemaError struct{ Has, Needs int }

func (o *OutdatedSchemaError) Error() string {
	return fmt.Sprintf("the database was written by an older version of Goalpost (schema %d, this program reads %d)",
		o.Has, o.Needs)
}

// As lets fault.Of find the hint.
func (o *OutdatedSchemaError) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok {
		*f = fault.Kind(fault.Unavailable, "", o.Error(),
			"open Goalpost, or run `doctor`: either brings it up to date and keeps a copy; reading alone changes nothing")
	}
	return ok
}

// errReadOnly is the error of writes to a Store that was opened for reading.
var errReadOnly = errors.New("the journal is open for reading only")

// OpenReadOnly opens the database for reading. It creates, changes, migrates and interrupts nothing, while other
// processes may keep writing. Only SQLite may leave an empty log beside the file. It works in a folder that is not
// writable. It refuses a database of another version with ErrNewerSchema, an *OutdatedSchemaError or a
// *DevelopmentSchemaError, and an unreadable one with an *UnreadableError. Damage says that parts of it may be
// unreadable. A missing database has no goals, nor has one without a schema. Every method that writes returns an error.
func OpenReadOnly(ctx context.Context, dir string) (*Store, error) {
	s := newStore(connection{
		dir:    dir,
		now:    time.Now,
		log:    slog.New(slog.DiscardHandler),
		shared: flock.New(filepath.Join(dir, "db.lock"), flock.SetFlag(os.O_RDONLY)),
	})
	s.Journal.publish = func(event.Event) {}
	err := s.connection.openReadOnly(ctx)
	if isDamage(err) && s.connection.openDamaged(ctx) == nil {
		s.Damage = s.explain(err)
		return s, nil
	}
	if err != nil {
		return nil, errors.Join(s.explain(err), s.connection.Close())
	}
	return s, nil
}

func (c *connection) openReadOnly(ctx context.Context) error {
	path := c.path()
	if err := c.checkExistence(); err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return c.openEmpty(ctx)
	}
	// Lock first, so that no process migrates between the check of the version and the reading.
	if err := c.lockShared(ctx); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err := c.openReadConnections(ctx, path, "mode=ro")
	if _, none := os.Stat(path + "-wal"); err != nil && errors.Is(none, fs.ErrNotExist) {
		// In a folder that is not writable, SQLite opens only an existing write-ahead log. Without one everything is
		// in the file, and nobody writes.
		err = c.openReadConnections(ctx, path, "immutable=1")
	}
	if err != nil {
		return err
	}
	if err := readSchema(ctx, c.read); err != nil {
		return err
	}
	switch version, err := schemaOf(ctx, c.read, path); {
	case err != nil:
		return err
	case version > schemaVersion():
		return ErrNewerSchema
	case version == 0: // the process that created it was killed before it had committed anything
		if err := c.read.Close(); err != nil {
			return fmt.Errorf("close database: %w", err)
		}
		return c.openEmpty(ctx)
	case version < schemaVersion():
		return &OutdatedSchemaError{Has: version, Needs: schemaVersion()}
	}
	return nil
}

// openDamaged opens a damaged database for reading what can still be read. With this pragma, SQLite accepts a file that
// is too short and a schema of which it cannot read everything.
func (c *connection) openDamaged(ctx context.Context) error {
	if c.read != nil {
		_ = c.read.Close()
		c.read = nil
	}
	if err := c.openReadConnections(ctx, c.path(), "mode=ro&_writable_schema=true"); err != nil {
		return err
	}
	if version, err := schemaOf(ctx, c.read, c.path()); err != nil || version != schemaVersion() {
		return errors.Join(err, errReadOnly)
	}
	return nil
}

// openReadConnections opens the reading connections and runs a first query.
func (c *connection) openReadConnections(ctx context.Context, path, how string) error {
	db, err := openDatabase(dataSource(path, "_query_only=true&"+how))
	if err != nil {
		return err
	}
	if _, err := schemaOf(ctx, db, path); err != nil {
		return errors.Join(err, db.Close())
	}
	c.read = db
	return nil
}

// openEmpty makes an empty database in memory.
func (c *connection) openEmpty(ctx context.Context) error {
	db, err := openDatabase("file:" + NewID() + "?mode=memory&cache=shared")
	if err != nil {
		return err
	}
	c.read, c.write = db, db
	for n := range schemaVersion() {
		if err := c.apply(ctx, n+1); err != nil {
			return err
		}
	}
	c.write = nil
	return nil
}
