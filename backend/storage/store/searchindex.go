package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// searchLayout is the version of the index: of its tables, and of what it reads from events. A file of another version
// is made again.
const searchLayout = 1

// searchSchema is FTS4, because the driver has no FTS5 without a build tag. The number of a row has the goal, the kind
// of the text and the event, so that hits can be counted without reading them.
const searchSchema = `
DROP TABLE IF EXISTS words;
DROP TABLE IF EXISTS goals;
-- What was read of each goal: up to event seq, which had that checksum.
CREATE TABLE goals (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  seq        INTEGER NOT NULL,
  checksum   INTEGER NOT NULL,
  updated_at TEXT NOT NULL, -- of the goal's row in the journal, when everything was read
  step       INTEGER NOT NULL -- the last one
) STRICT;
CREATE VIRTUAL TABLE words USING fts4(text, step, notindexed=step, matchinfo=fts3, tokenize=unicode61);
`

const (
	goalShift, kindShift = 36, 32
	// searchBatch is how many events one transaction of the index reads.
	searchBatch = 500
	// indexDelay is how long the background waits after an event, so that it reads many at once.
	indexDelay = 10 * time.Second
)

func rowOf(n int64, kind SearchKind, seq int64) int64 {
	return n<<goalShift | int64(kind)<<kindShift | seq
}

func lastRow(n int64) int64 { return (n+1)<<goalShift - 1 }

func placeOfRow(row int64) (kind SearchKind, seq int64) {
	return SearchKind(row >> kindShift & 0xf), row & (1<<kindShift - 1)
}

// SearchIndex finds words in what goals said and did. It has a file of its own, search.db: it follows from the journal,
// so it is neither copied nor repaired but made again, and writing it never keeps a step waiting.
type SearchIndex struct {
	*connection // of the journal

	mu    sync.Mutex // guards db; held while a batch is written
	db    *sql.DB    // nil until it is needed
	delay time.Duration
	wake  chan struct{}
	stop  context.CancelFunc
	done  chan struct{}
}

func newSearchIndex(c *connection) *SearchIndex {
	return &SearchIndex{connection: c, delay: indexDelay, wake: make(chan struct{}, 1)}
}

// indexPath returns the path of the index, which is beside the database.
func (si *SearchIndex) indexPath() string { return filepath.Join(filepath.Dir(si.path()), "search.db") }

func (si *SearchIndex) current() *sql.DB {
	si.mu.Lock()
	defer si.mu.Unlock()
	return si.db
}

// open opens the index, or makes it. The caller holds mu.
func (si *SearchIndex) open(ctx context.Context) error {
	if si.db != nil {
		return nil
	}
	err := si.openFile(ctx)
	if isDamage(err) {
		if err = removeIndex(si.indexPath()); err == nil {
			err = si.openFile(ctx)
		}
	}
	if err != nil && si.write == nil && ctx.Err() == nil { // a command that reads, in a folder that cannot be written
		err = si.openDSN(ctx, "file:"+NewID()+"?mode=memory&cache=shared&_txlock=immediate", 1)
	}
	return err
}

func (si *SearchIndex) openFile(ctx context.Context) error {
	path := si.indexPath()
	if err := createPrivate(path); err != nil {
		return err
	}
	return si.openDSN(ctx, dataSource(path, "_journal_mode=WAL&_synchronous=NORMAL&_txlock=immediate"+
		"&_stmt_cache_size=16"), 2)
}

func (si *SearchIndex) openDSN(ctx context.Context, dsn string, conns int) error {
	db, err := openDatabase(dsn)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(conns)
	db.SetMaxIdleConns(conns)
	err = inTransaction(ctx, db, func(tx *sql.Tx) error {
		version, err := readValue[int](ctx, tx, "search index", "PRAGMA user_version")
		if err != nil || version == searchLayout {
			return err
		}
		return execStatement(ctx, tx, "search index", searchSchema+fmt.Sprintf("PRAGMA user_version = %d", searchLayout))
	})
	if err != nil {
		return errors.Join(err, db.Close())
	}
	si.db = db
	return nil
}

// inTransaction runs do in a transaction of the index.
func inTransaction(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after the commit
	if err := do(tx); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	return nil
}

// reset removes the index, so that it is made again.
func (si *SearchIndex) reset() error {
	si.mu.Lock()
	defer si.mu.Unlock()
	return errors.Join(si.closeFile(), removeIndex(si.indexPath()))
}

func (si *SearchIndex) closeFile() error {
	if si.db == nil {
		return nil
	}
	err := si.db.Close()
	si.db = nil
	if err != nil {
		err = fmt.Errorf("close search index: %w", err)
	}
	return err
}

func removeIndex(path string) error {
	var errs []error
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, fmt.Errorf("search index: %w", err))
		}
	}
	return errors.Join(errs...)
}

// forget removes what the index has of a goal.
func (si *SearchIndex) forget(ctx context.Context, id goal.ID) error {
	si.mu.Lock()
	defer si.mu.Unlock()
	if _, err := os.Stat(si.indexPath()); si.db == nil && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := si.open(ctx); err != nil {
		return err
	}
	return inTransaction(ctx, si.db, func(tx *sql.Tx) error {
		read, err := indexedGoals(ctx, tx)
		if g, ok := read[id]; err == nil && ok {
			err = g.remove(ctx, tx)
		}
		return err
	})
}

// goalEnd is how far the journal of a goal goes.
type goalEnd struct {
	id        goal.ID
	seq       int64
	updatedAt string
}

// indexedGoal is how far the index has read a goal.
type indexedGoal struct {
	n, seq, checksum int64
	updatedAt        string
	step             int
}

func (ig indexedGoal) isCurrent(end goalEnd) bool {
	return ig.seq == end.seq && ig.updatedAt == end.updatedAt
}

// missing counts the events that the index has not read. A journal that is shorter is another one.
func (ig indexedGoal) missing(end goalEnd) int64 {
	if ig.seq > end.seq {
		return end.seq
	}
	return end.seq - ig.seq
}

// removeWords removes the texts of a goal.
func (ig indexedGoal) removeWords(ctx context.Context, tx *sql.Tx) error {
	return execStatement(ctx, tx, "search index", "DELETE FROM words WHERE docid BETWEEN ? AND ?", ig.n<<goalShift,
		lastRow(ig.n))
}

func (ig indexedGoal) remove(ctx context.Context, tx *sql.Tx) error {
	return errors.Join(ig.removeWords(ctx, tx),
		execStatement(ctx, tx, "search index", "DELETE FROM goals WHERE n = ?", ig.n))
}

func indexedGoals(ctx context.Context, q querier) (map[goal.ID]indexedGoal, error) {
	found := map[goal.ID]indexedGoal{}
	err := visitRows(ctx, q, "search index", func(r scanner) error {
		var id goal.ID
		var g indexedGoal
		if err := r.Scan(&id, &g.n, &g.seq, &g.checksum, &g.updatedAt, &g.step); err != nil {
			return fmt.Errorf("search index: %w", err)
		}
		found[id] = g
		return nil
	}, "SELECT id, n, seq, checksum, updated_at, step FROM goals")
	return found, err
}

// catchUp reads what the journal has and the index does not, newest goals first, in batches. It asks more before each
// further batch. It returns how many events are left.
func (si *SearchIndex) catchUp(ctx context.Context, more func() bool) (behind int64, err error) {
	for {
		if behind, err = si.readBatch(ctx); err != nil || behind == 0 || !more() {
			return behind, err
		}
	}
}

func (si *SearchIndex) readBatch(ctx context.Context) (behind int64, err error) {
	si.mu.Lock()
	defer si.mu.Unlock()
	ends, err := readRows(ctx, si.read, "search", func(r scanner, g *goalEnd) error {
		return r.Scan(&g.id, &g.seq, &g.updatedAt)
	}, "SELECT id, seq, updated_at FROM goals ORDER BY id DESC")
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(si.indexPath()); len(ends) == 0 && si.db == nil && errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err := si.open(ctx); err != nil {
		return 0, err
	}
	if indexed, err := indexedGoals(ctx, si.db); err != nil || isAllRead(ends, indexed) {
		return 0, err
	}
	err = inTransaction(ctx, si.db, func(tx *sql.Tx) error {
		behind, err = si.readGoals(ctx, tx, ends)
		return err
	})
	return behind, err
}

func isAllRead(ends []goalEnd, indexed map[goal.ID]indexedGoal) bool {
	for _, end := range ends {
		if !indexed[end.id].isCurrent(end) {
			return false
		}
	}
	return len(ends) == len(indexed)
}

// readGoals reads a batch of events, and removes goals that were deleted. Another process may have read some.
func (si *SearchIndex) readGoals(ctx context.Context, tx *sql.Tx, ends []goalEnd) (behind int64, err error) {
	indexed, err := indexedGoals(ctx, tx)
	if err != nil {
		return 0, err
	}
	left := searchBatch
	for _, end := range ends {
		g := indexed[end.id]
		delete(indexed, end.id)
		if g.isCurrent(end) {
			continue
		}
		if left > 0 {
			if err := si.readGoal(ctx, tx, end, &g, &left); err != nil {
				return 0, err
			}
		}
		behind += g.missing(end)
	}
	for _, g := range indexed {
		if err := g.remove(ctx, tx); err != nil {
			return 0, err
		}
	}
	return behind, nil
}

// selectSearchable reads the events with texts, and the results of steps. It takes messages of the model by the
// beginning of their JSON, as the transcript does.
const selectSearchable = `SELECT e.seq, e.run_id, e.at, e.type, e.body, e.checksum, coalesce(r.result, '')
	FROM events e LEFT JOIN results r ON e.type = 'step' AND r.goal_id = e.goal_id
		AND r.n = CASE WHEN json_valid(e.body) THEN e.body ->> 'step_id' END
	WHERE e.goal_id = ? AND e.seq > ? AND e.seq <= ? AND (e.type IN ('created','steered','reopened','resumed','claim',
		'step_started','step','verdict','critic','review','paused','ended','changes_undone')
		OR e.type = 'message' AND substr(e.body, 1, 31) = '{"message":{"role":"assistant",')
	ORDER BY e.seq LIMIT ?`

// readGoal reads at most left further events of a goal, and takes them from left.
func (si *SearchIndex) readGoal(ctx context.Context, tx *sql.Tx, end goalEnd, g *indexedGoal, left *int) error {
	if err := si.beginGoal(ctx, tx, end, g); err != nil {
		return err
	}
	n, last := 0, end.seq
	err := visitRows(ctx, si.read, "search", func(r scanner) error {
		var row eventRow
		var result string
		if err := r.Scan(append(row.columns(), &result)...); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		if n++; n == *left {
			last = row.seq
		}
		return g.add(ctx, tx, row.decode(end.id), result)
	}, selectSearchable, end.id, g.seq, end.seq, *left)
	switch {
	case isDamage(err): // the rest of this goal cannot be found; doctor says what is wrong
		si.log.Warn("events are not read for the search", "goal", end.id, "error", err)
	case err != nil:
		return err
	}
	*left -= n
	g.seq, g.updatedAt = last, ""
	if last == end.seq {
		g.updatedAt = end.updatedAt
	}
	if g.checksum, err = si.checksumAt(ctx, end.id, last); err != nil {
		return err
	}
	return execStatement(ctx, tx, "search index", "UPDATE goals SET seq = ?, checksum = ?, updated_at = ?, step = ? "+
		"WHERE n = ?", g.seq, g.checksum, g.updatedAt, g.step, g.n)
}

// beginGoal gives a new goal its number. It removes what was read of a journal that is not this one any more, because a
// copy of the database was restored.
func (si *SearchIndex) beginGoal(ctx context.Context, tx *sql.Tx, end goalEnd, g *indexedGoal) error {
	if g.n == 0 {
		added, err := tx.ExecContext(ctx, "INSERT INTO goals (id, seq, checksum, updated_at, step) VALUES (?, 0, 0, '', 0)",
			end.id)
		if err == nil {
			g.n, err = added.LastInsertId()
		}
		if err != nil {
			return fmt.Errorf("search index: %w", err)
		}
		return nil
	}
	checksum, err := si.checksumAt(ctx, end.id, g.seq)
	if err != nil || checksum == g.checksum && g.seq <= end.seq {
		return err
	}
	*g = indexedGoal{n: g.n}
	return g.removeWords(ctx, tx)
}

// checksumAt returns the checksum of an event, 0 if there is none.
func (si *SearchIndex) checksumAt(ctx context.Context, id goal.ID, seq int64) (int64, error) {
	return readValue[int64](ctx, si.read, "search",
		"SELECT coalesce((SELECT checksum FROM events WHERE goal_id = ? AND seq = ?), 0)", id, seq)
}

// add writes the texts of an event.
func (ig *indexedGoal) add(ctx context.Context, tx *sql.Tx, ev event.Event, result string) error {
	if start, ok := ev.Body.(*event.StepStarted); ok {
		ig.step = start.StepID
	}
	step := ig.step
	if end, ok := ev.Body.(*event.Step); ok {
		step = end.StepID
	}
	for _, t := range searchTexts(ev.Body, result) {
		err := execStatement(ctx, tx, "search index", "INSERT INTO words (docid, text, step) VALUES (?, ?, ?)",
			rowOf(ig.n, t.kind, ev.Seq), t.text, step)
		if err != nil {
			return err
		}
	}
	return nil
}
