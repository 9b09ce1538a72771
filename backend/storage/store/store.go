// Package store keeps goals and their journal in SQLite. The journal is append-only: triggers refuse updates,
// replacements, deletions that the user did not request, and rows from a run that is not the goal's current one.
//
// A Store may be used from many goroutines. It has one writing connection (BEGIN IMMEDIATE, durable at commit) and a
// few reading ones; other processes may have the same file open.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
	_ "github.com/mattn/go-sqlite3" // the driver
	"github.com/oklog/ulid/v2"

	"goalpost/backend/domain/event"
	"goalpost/backend/lib/fault"
)

// ErrNewerSchema means that a newer version of the program has migrated the database.
var ErrNewerSchema error = fault.Kind(fault.Unavailable, "",
	"the database was written by a newer version of Goalpost",
	"update Goalpost, or use another GOALPOST_HOME")

// readers is the number of concurrent reading connections.
const readers = 4

// lockTimeout is how long SQLite waits for another process that locks the file. It looks again after 1 ms, and more and
// more rarely, up to ten times a second.
const lockTimeout = 30 * time.Second

// Options describe a database. Publish, if set, is called after each commit with the events of that commit, in order;
// it must not block.
type Options struct {
	Dir     string // state folder: goalpost.db, artifacts/, run/
	Publish func(event.Event)
	// Redact removes secrets from JSON and text before it is stored or published; nil changes nothing.
	Redact func([]byte) []byte
	Now    func() time.Time // nil: the real clock
	Log    *slog.Logger     // nil: discarded
	// Free returns how many bytes may still be written in Dir; nil means no limit.
	Free func() (uint64, error)
}

// Store is an open database. Its parts have the methods for the data.
type Store struct {
	connection
	Artifacts *ArtifactFiles
	Locks     *GoalLocks
	Approvals *ApprovalTable
	Queue     *GoalQueue
	Journal   *Journal
	Goals     *GoalTable
	History   *History
	Orders    *OrderTable
	Questions *UserQuestions
	Recovery  *Recovery
	Workspace *WorkspaceTables
	Spend     *SpendTable
	Outcomes  *OutcomeTable
	Chats     *ChatTable
	Memory    *MemoryTable
	Schedules *ScheduleTable
	Digests   *DigestTable
	Backups   *Backups
	Search    *SearchIndex

	// Damage is an *UnreadableError if only parts of the database can be read, otherwise nil. See OpenReadOnly.
	Damage error

	discard func() error // removes a database that is only for the time being; may be nil
}

// newStore gives every part the connection and the parts that it needs.
func newStore(c connection) *Store {
	s := &Store{connection: c}
	s.Artifacts = &ArtifactFiles{connection: &s.connection}
	s.Locks = &GoalLocks{&s.connection}
	s.Approvals = &ApprovalTable{&s.connection}
	s.Queue = &GoalQueue{&s.connection, s.Locks, s.Approvals}
	s.Journal = &Journal{connection: &s.connection, artifacts: s.Artifacts, queue: s.Queue}
	s.Search = newSearchIndex(&s.connection)
	s.Goals = &GoalTable{&s.connection, s.Journal, s.Locks, s.Artifacts, s.Search}
	s.History = &History{&s.connection, s.Goals, s.Artifacts}
	s.Orders = &OrderTable{&s.connection}
	s.Questions = &UserQuestions{&s.connection, s.Goals}
	s.Recovery = &Recovery{&s.connection, s.Goals, s.Journal, s.History, s.Locks}
	s.Workspace = &WorkspaceTables{&s.connection}
	s.Spend = &SpendTable{&s.connection}
	s.Outcomes = &OutcomeTable{&s.connection}
	s.Chats = &ChatTable{connection: &s.connection}
	s.Memory = &MemoryTable{connection: &s.connection}
	s.Schedules = &ScheduleTable{&s.connection}
	s.Digests = &DigestTable{&s.connection}
	s.Backups = &Backups{connection: &s.connection, goals: s.Goals}
	return s
}

// NewID returns a new lower-case ULID.
func NewID() string { return strings.ToLower(ulid.Make().String()) }

// Open opens or creates the database and brings its schema up to date. Its error is an *UnreadableError if the file
// cannot be used.
func Open(ctx context.Context, o Options) (*Store, error) { return openFile(ctx, o, "") }

// openFile opens a database for a data folder; "" is that of the folder.
func openFile(ctx context.Context, o Options, file string) (*Store, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Publish == nil {
		o.Publish = func(event.Event) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	for _, d := range []string{o.Dir, filepath.Join(o.Dir, "artifacts"), filepath.Join(o.Dir, "run")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("state folder: %w", err)
		}
	}
	lockDir := o.Dir
	if file != "" {
		lockDir = filepath.Dir(file)
	}
	s := newStore(connection{
		dir:    o.Dir,
		file:   file,
		now:    o.Now,
		log:    o.Log,
		shared: flock.New(filepath.Join(lockDir, "db.lock")),
	})
	s.Journal.start, s.Journal.redact = NewID(), o.Redact
	s.Journal.publish = func(ev event.Event) {
		o.Publish(ev)
		s.Search.notify()
	}
	s.Chats.redact, s.Memory.redact = o.Redact, o.Redact
	s.Backups.free = o.Free
	if err := s.connection.open(ctx, s.Backups.writeCopy); err != nil {
		return nil, errors.Join(s.explain(err), s.connection.Close())
	}
	return s, nil
}

// Close closes the database. Nothing may be called afterwards.
func (s *Store) Close() error {
	s.Backups.close()
	err := errors.Join(s.Search.close(), s.connection.Close())
	if s.discard != nil {
		err = errors.Join(err, s.discard())
	}
	return err
}

func (c *connection) open(ctx context.Context, makeCopy func(context.Context, *sql.DB) error) error {
	path := c.path()
	if err := c.checkFile(ctx); err != nil {
		return err
	}
	if err := createPrivate(path); err != nil {
		return err
	}
	var err error
	if c.write, err = openConnections(path, "_txlock=immediate", 1); err != nil {
		return err
	}
	if err := c.migrate(ctx, makeCopy); err != nil {
		return err
	}
	if c.read, err = openConnections(path, "_query_only=true", readers); err != nil {
		return err
	}
	return c.lockShared(ctx)
}

// createPrivate creates the file before SQLite does, so that no other user can read it. The write-ahead log gets the
// same mode.
func createPrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	return nil
}

// openConnections opens connections that cache prepared statements, because preparing took half the time of a commit.
func openConnections(path, extra string, conns int) (*sql.DB, error) {
	db, err := openDatabase(dataSource(path, "_journal_mode=WAL&_synchronous=FULL&_foreign_keys=on"+
		"&_recursive_triggers=on&_stmt_cache_size=64&"+extra))
	if err == nil {
		db.SetMaxOpenConns(conns)
		db.SetMaxIdleConns(conns)
	}
	return db, err
}

// dataSource names a database file for the driver.
func dataSource(path, parameters string) string {
	return fmt.Sprintf("file:%s?_busy_timeout=%d&%s", (&url.URL{Path: path}).EscapedPath(), lockTimeout.Milliseconds(),
		parameters)
}

// openDatabase opens no connection yet: the first query does.
func openDatabase(dsn string) (*sql.DB, error) {
	db, err := sql.Open("sqlite3", dsn)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db.SetMaxOpenConns(readers)
	db.SetMaxIdleConns(readers)
	return db, nil
}

func (c *connection) lockShared(ctx context.Context) error {
	ok, err := c.shared.TryRLockContext(ctx, 50*time.Millisecond)
	if err != nil || !ok {
		return fmt.Errorf("lock %s: %w", c.shared.Path(), err)
	}
	return nil
}

// Close closes the connections.
func (c *connection) Close() error {
	var errs []error
	for _, db := range []*sql.DB{c.read, c.write} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	errs = append(errs, c.shared.Close())
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close database: %w", err)
	}
	return nil
}

// tx runs f in one durable transaction, after it has checked that no newer version has migrated the schema.
func (c *connection) tx(ctx context.Context, f func(*sql.Tx) error) (err error) {
	if c.write == nil {
		return errReadOnly
	}
	defer func() { err = c.explain(err) }()
	tx, err := c.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return fmt.Errorf("schema version: %w", err)
	}
	if version > schemaVersion() {
		return ErrNewerSchema
	}
	if err := f(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(event.TimeLayout)
}

func parseStamp(s string) time.Time {
	t, err := time.Parse(event.TimeLayout, s)
	if err != nil {
		return time.Time{} // empty: it has not happened yet
	}
	return t
}
