package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
)

//go:embed migration/*.sql
var embedded embed.FS

// migrations holds the SQL files. A test adds one.
var migrations fs.FS = embedded

// applicationID marks the databases of version 0.1.0 and later. Development versions before it numbered other schemas
// in the same way.
const applicationID = 0x476f616c // "Goal"

// DevelopmentSchemaError means that a development version before 0.1.0 made the database.
type DevelopmentSchemaError struct{ Path string }

func (d *DevelopmentSchemaError) Error() string {
	return fmt.Sprintf("the database %s was made by a development version before 0.1.0", d.Path)
}

// As lets fault.Of find the code.
func (d *DevelopmentSchemaError) As(target any) bool {
	f, ok := target.(**fault.Error)
	if ok {
		*f = fault.Kind(fault.Unavailable, "", d.Error(),
			fmt.Sprintf("move the folder %s away and start again", filepath.Dir(d.Path)))
	}
	return ok
}

// schemaVersion returns the number of the newest migration in this program.
func schemaVersion() int {
	entries, err := fs.ReadDir(migrations, "migration")
	if err != nil {
		return 0
	}
	return len(entries)
}

// migrate applies missing migrations, each file in one transaction, while no other process has the database open. It
// calls makeCopy before it changes a database with content.
func (c *connection) migrate(ctx context.Context, makeCopy func(context.Context, *sql.DB) error) error {
	version, err := c.version(ctx)
	if err == nil && version < schemaVersion() {
		version, err = c.lockOutdated(ctx)
	}
	switch {
	case err != nil:
		return err
	case version > schemaVersion():
		return ErrNewerSchema
	case version == schemaVersion():
		return nil
	}
	defer func() { _ = c.shared.Unlock() }()
	if version > 0 && version < schemaVersion() {
		if err := makeCopy(ctx, c.write); err != nil { // each migration is whole or not applied at all
			c.log.Warn("the database was not copied before its update", "error", err)
		}
	}
	for ; version < schemaVersion(); version++ {
		if err := c.apply(ctx, version+1); err != nil {
			return err
		}
	}
	return nil
}

// lockOutdated makes this process the only one that may open the database, and returns its version. If another process
// migrates the database in the meantime, it locks nothing.
func (c *connection) lockOutdated(ctx context.Context) (version int, err error) {
	for deadline := time.Now().Add(lockTimeout); ; {
		isLocked, err := c.shared.TryLock()
		if err != nil {
			return 0, fmt.Errorf("lock of the database: %w", err)
		}
		if version, err = c.version(ctx); err != nil || version >= schemaVersion() {
			if isLocked {
				err = errors.Join(err, c.shared.Unlock())
			}
			return version, err
		}
		switch {
		case isLocked:
			return version, nil
		case time.Now().After(deadline):
			return 0, fault.New(fault.Conflict, "the database needs an update, but another Goalpost has it open",
				"close that first: its window, its goalctl serve, or its goalctl run")
		}
		select {
		case <-ctx.Done():
			return 0, fmt.Errorf("lock of the database: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// version returns the number of the newest migration; 0 for a file that is not in WAL mode yet, unless this process has
// locked it. SQLite's own lock does not wait when two processes change to that mode at the same moment.
func (c *connection) version(ctx context.Context) (int, error) {
	isClosed := c.write.Stats().OpenConnections == 0 // otherwise, reading the file would release SQLite's locks
	if isClosed && !c.shared.Locked() {
		if isWAL, err := isInWALMode(c.path()); err != nil || !isWAL {
			return 0, err
		}
	}
	return schemaOf(ctx, c.write, c.path())
}

// isInWALMode reads the version of the file format: https://www.sqlite.org/fileformat2.html#file_format_version_numbers
func isInWALMode(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, fmt.Errorf("database: %w", err)
	}
	defer func() { _ = f.Close() }()
	const position, wal = 18, 2
	version := make([]byte, 1)
	n, err := f.ReadAt(version, position)
	if n == 0 && errors.Is(err, io.EOF) {
		return false, nil
	}
	if n == 0 {
		return false, fmt.Errorf("database: %w", err)
	}
	return version[0] == wal, nil
}

// schemaOf returns the number of the newest migration of a database, 0 if it is empty. It refuses one of a development
// version.
func schemaOf(ctx context.Context, db *sql.DB, path string) (int, error) {
	var version, id int
	err := db.QueryRowContext(ctx, "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id").
		Scan(&version, &id)
	if err != nil {
		return 0, fmt.Errorf("the file %s cannot be read as a database: %w", path, err)
	}
	if version > 0 && id != applicationID {
		return 0, &DevelopmentSchemaError{path}
	}
	return version, nil
}

func (c *connection) apply(ctx context.Context, n int) error {
	entries, err := fs.ReadDir(migrations, "migration")
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	name := "migration/" + entries[n-1].Name()
	if !strings.HasPrefix(entries[n-1].Name(), fmt.Sprintf("%04d_", n)) {
		return fmt.Errorf("migration %d is missing", n)
	}
	script, err := fs.ReadFile(migrations, name)
	if err != nil {
		return fmt.Errorf("migration %d: %w", n, err)
	}
	return c.tx(ctx, func(tx *sql.Tx) error {
		if err := execStatement(ctx, tx, name, string(script)); err != nil {
			return err
		}
		return execStatement(ctx, tx, name, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d",
			applicationID, n))
	})
}
