package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"goalpost/backend/lib/text"
)

// maxCopies limits the copies of the database.
const maxCopies = 7

// dueInterval is how often a long-lived process looks whether a new day has begun.
const dueInterval = time.Hour

// minFreeBytes of the disk are left for other programs after a copy.
const minFreeBytes = 64 << 20

// Backups makes copies of the database in the folder backups, once a day and before a migration. A copy that fails is
// logged and is never an error of the caller.
type Backups struct {
	*connection
	goals *GoalTable
	// Free returns how many bytes may still be written in the data folder; nil means no limit.
	free func() (uint64, error)

	stop context.CancelFunc
	done chan struct{}
}

// Copy is one copy of the database.
type Copy struct {
	Path  string
	At    time.Time // in local time
	Bytes int64
}

// The names of copies have the time in UTC, so that they sort by age.
const (
	copyPrefix, copySuffix = "goalpost-", ".db"
	copyLayout             = "20060102T150405Z"
)

func backupFolder(dir string) string { return filepath.Join(dir, "backups") }

// Copies lists the copies of the database in a data folder, newest first.
func Copies(dir string) ([]Copy, error) {
	entries, err := os.ReadDir(backupFolder(dir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("copies of the database: %w", text.StripPathError(err))
	}
	var list []Copy
	for _, e := range slices.Backward(entries) {
		stamp, isCopy := strings.CutPrefix(strings.TrimSuffix(e.Name(), copySuffix), copyPrefix)
		at, err := time.Parse(copyLayout, stamp)
		info, infoErr := e.Info()
		if !isCopy || err != nil || infoErr != nil || !info.Mode().IsRegular() {
			continue
		}
		list = append(list, Copy{filepath.Join(backupFolder(dir), e.Name()), at.Local(), info.Size()})
	}
	return list, nil
}

// Start copies the database in the background: now, if the last copy is of another day, and on each later day. Close
// stops it. onDamage, which may be nil, receives once what is wrong if the database turns out to be damaged.
func (b *Backups) Start(ctx context.Context, onDamage func(error)) {
	ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	b.done = make(chan struct{})
	go func() {
		defer close(b.done)
		for {
			err := b.copyOfToday(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				b.log.Warn("the database was not copied", "error", err)
				if onDamage != nil && isDamage(err) {
					onDamage(err)
					onDamage = nil
				}
			}
			select {
			case <-time.After(dueInterval):
			case <-ctx.Done():
				return
			}
		}
	}()
}

// close ends a copy that is being written.
func (b *Backups) close() {
	if b.stop != nil {
		b.stop()
		<-b.done
	}
}

// copyOfToday copies the database unless this or another process has done so today, or there are no goals yet.
func (b *Backups) copyOfToday(ctx context.Context) (err error) {
	if err := os.MkdirAll(backupFolder(b.dir), 0o700); err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	lock := flock.New(filepath.Join(backupFolder(b.dir), "lock"))
	isFree, err := lock.TryLock()
	if err != nil || !isFree { // another process makes the copy
		return errors.Join(err, lock.Close())
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	list, err := Copies(b.dir)
	if err != nil || len(list) > 0 && isSameDay(list[0].At, b.now()) {
		return err
	}
	db, err := openDatabase(dataSource(b.path(), "mode=ro"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	hasGoals, err := readValue[bool](ctx, db, "goals", "SELECT EXISTS (SELECT 1 FROM goals)")
	if err != nil || !hasGoals {
		return err
	}
	damaged := checkEvents(ctx, db)
	if damaged == nil {
		damaged = quickCheck(ctx, db)
	}
	var events *damagedEventsError
	if damaged != nil && !errors.As(damaged, &events) {
		return damaged
	}
	return errors.Join(damaged, b.writeCopy(ctx, db), b.goals.saveGoalFiles(ctx, db))
}

// Check reads the whole database. Its error is an *UnreadableError if that is damaged.
func (b *Backups) Check(ctx context.Context) error {
	err := checkEvents(ctx, b.read) // first, because SQLite also finds those that are not JSON, and does not name them
	if err == nil {
		err = quickCheck(ctx, b.read)
	}
	return b.explain(err)
}

// DescribeFiles describes the copies of the database in a data folder, and the databases that were set aside.
func DescribeFiles(dir string) (string, error) {
	list, err := Copies(dir)
	if err != nil {
		return "", err
	}
	words := "no copy yet"
	if len(list) > 0 {
		words = "last copied on " + list[0].At.Format("2006-01-02 15:04")
	}
	aside, err := filepath.Glob(filepath.Join(dir, brokenPrefix+"*"+copySuffix))
	for _, path := range aside {
		words += "; set aside: " + filepath.Base(path)
	}
	if err != nil {
		err = fmt.Errorf("databases that were set aside: %w", err)
	}
	return words, err
}

func isSameDay(a, b time.Time) bool {
	return a.Local().Format(time.DateOnly) == b.Local().Format(time.DateOnly)
}

// quickCheck reads every page of a database.
func quickCheck(ctx context.Context, db *sql.DB) error {
	found, err := readValue[string](ctx, db, "check of the database", "PRAGMA quick_check(1)")
	if err == nil && found != "ok" {
		err = &damageError{found}
	}
	return err
}

// checkEvents compares the events with their checksums.
func checkEvents(ctx context.Context, db *sql.DB) error {
	damaged, err := damagedEvents(ctx, db, "")
	if err == nil && len(damaged) > 0 {
		err = &damagedEventsError{describeDamaged(damaged)}
	}
	return err
}

// writeCopy writes a copy, whole or not at all, and removes the oldest ones.
func (b *Backups) writeCopy(ctx context.Context, db *sql.DB) (err error) {
	if err := b.checkSpace(); err != nil {
		return err
	}
	name := copyPrefix + b.now().UTC().Format(copyLayout) + copySuffix
	partial := filepath.Join(backupFolder(b.dir), "partial")
	defer func() {
		if e := os.Remove(partial); err != nil && e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}()
	if err := errors.Join(os.MkdirAll(backupFolder(b.dir), 0o700), os.RemoveAll(partial)); err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	if err := createPrivate(partial); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", partial); err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	if err := publishFile(partial, filepath.Join(backupFolder(b.dir), name)); err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	return b.removeOldest()
}

// publishFile gives a file its name when the disk has its content.
func publishFile(from, to string) error {
	f, err := os.OpenFile(from, os.O_RDWR, 0)
	if err != nil {
		return err //nolint:wrapcheck // the callers do
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err //nolint:wrapcheck // the callers do
	}
	return syncFolder(filepath.Dir(to))
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err //nolint:wrapcheck // the callers do
	}
	return errors.Join(d.Sync(), d.Close())
}

// checkSpace refuses a copy that would fill the disk.
func (b *Backups) checkSpace() error {
	if b.free == nil {
		return nil
	}
	free, err := b.free()
	if err != nil {
		return fmt.Errorf("copy of the database: %w", err)
	}
	var needs uint64 = minFreeBytes
	for _, path := range []string{b.path(), b.path() + "-wal"} {
		if info, err := os.Stat(path); err == nil {
			needs += uint64(info.Size())
		}
	}
	if free < needs {
		return fmt.Errorf("copy of the database: the disk has %d MiB left, and it needs %d MiB", free>>20, needs>>20)
	}
	return nil
}

func (b *Backups) removeOldest() error {
	list, err := Copies(b.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, old := range list[min(maxCopies, len(list)):] {
		errs = append(errs, os.Remove(old.Path))
	}
	return errors.Join(errs...)
}
