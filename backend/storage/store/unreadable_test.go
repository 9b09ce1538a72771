package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mattn/go-sqlite3"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// lockVariable makes the test binary lock the database at that path until its input ends, see TestMain.
const lockVariable = "STORE_TEST_LOCK"

// lockForWriting locks a database, as a program does that changes it.
func lockForWriting(path string) error {
	db, err := sql.Open("sqlite3", path+"?_txlock=immediate")
	if err != nil {
		return err
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err != nil {
		return err
	}
	fmt.Println("locked")
	_, _ = os.Stdin.Read(make([]byte, 1)) // returns when the test closes it
	return errors.Join(tx.Rollback(), db.Close())
}

// TestTx_DatabaseUnusable_SaysWhyAndWhatNext makes SQLite fail for real where that is possible.
func TestTx_DatabaseUnusable_SaysWhyAndWhatNext(t *testing.T) {
	ctx := t.Context()
	for name, test := range map[string]struct {
		spoil             func(t *testing.T, s *Store)
		problem, nextStep string
	}{
		"a full disk": {func(t *testing.T, s *Store) {
			t.Helper()
			if _, err := s.connection.write.ExecContext(ctx, "PRAGMA max_page_count = 1"); err != nil {
				t.Fatal(err)
			}
		}, "the disk is full", "free some space on the disk, then try again"},
		"locked by another process": {func(t *testing.T, s *Store) {
			t.Helper()
			if _, err := s.connection.write.ExecContext(ctx, "PRAGMA busy_timeout = 0"); err != nil {
				t.Fatal(err)
			}
			c := exec.CommandContext(ctx, os.Args[0])
			c.Env = append(os.Environ(), lockVariable+"="+s.path())
			in, err1 := c.StdinPipe()
			out, err2 := c.StdoutPipe()
			if err := errors.Join(err1, err2, c.Start()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = errors.Join(in.Close(), c.Wait()) })
			if _, err := out.Read(make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
		}, "is locked by store.test (pid ", "end that program or wait until it is done"},
		"made read-only": {func(t *testing.T, s *Store) {
			t.Helper()
			if _, err := s.connection.write.ExecContext(ctx, "PRAGMA query_only = 1"); err != nil {
				t.Fatal(err)
			}
		}, "is read-only or belongs to another user", "change its permissions"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), nil)
			g := create(t, s)
			run := begin(t, s, g.ID)
			test.spoil(t, s)
			large := goal.Message{Role: goal.User, Text: strings.Repeat("x", 100_000)}
			err := s.Journal.Append(ctx, run, &event.Message{Message: large})
			if problem := fault.Of(err); err == nil || !strings.Contains(problem.Message, test.problem) ||
				!strings.Contains(problem.Hint, test.nextStep) || !strings.Contains(problem.Message, s.path()) {
				t.Errorf("%+v", fault.Of(err))
			}
		})
	}
}

// TestExplain_ErrorsOfTheDisk_ArePlain checks errors that no test can cause.
func TestExplain_ErrorsOfTheDisk_ArePlain(t *testing.T) {
	full := sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.ENOSPC}
	for want, err := range map[string]sqlite3.Error{
		"cannot be used: the disk reports an error":              {Code: sqlite3.ErrIoErr},
		"cannot be used: the disk is full":                       full,
		"is damaged: a part of it is missing or was overwritten": {Code: sqlite3.ErrCorrupt},
		"cannot be opened: its file or folder is read-only or belongs to another user": {
			Code: sqlite3.ErrCantOpen,
		},
	} {
		got := fault.Of(Explain(fmt.Errorf("list goals: %w", err)))
		if got.Message != "the database "+want || got.Hint == "" || got.Code != fault.Internal {
			t.Errorf("%+v, want %q", got, want)
		}
	}
	if err := errors.New("no such goal"); Explain(err) != err { //nolint:errorlint // it is the same one
		t.Error("another error was changed")
	}
}

// TestOpen_LogIsGarbage_IsSetAside checks that the log is kept, and that the goals of the file are there.
func TestOpen_LogIsGarbage_IsSetAside(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	g := create(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	garbage := strings.Repeat("garbage ", 5000)
	if err := os.WriteFile(filepath.Join(dir, "goalpost.db-wal"), []byte(garbage), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open(t, dir, nil)
	if _, err := s.Goals.Get(t.Context(), g.ID); err != nil {
		t.Error(err)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "goalpost-broken-*.db-wal"))
	if err != nil || len(kept) != 1 {
		t.Fatalf("%v, %v", kept, err)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || string(b) != garbage {
		t.Errorf("the log was changed: %d bytes, %v", len(b), err)
	}
}

// TestOpenOrRescue_PageDamaged_UsesTheFolders: the schema can be read, and the goals cannot.
func TestOpenOrRescue_PageDamaged_UsesTheFolders(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := open(t, dir, nil)
	g := create(t, s) // has no folder yet
	if err := os.MkdirAll(s.GoalDir(g.ID), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.saveGoalFile(g); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	overwritePage(t, filepath.Join(dir, "goalpost.db"), pageOf(t, dir, "goals"))
	s, problem, err := OpenOrRescue(ctx, Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	var unreadable *UnreadableError
	if !errors.As(problem, &unreadable) || !unreadable.Damaged {
		t.Errorf("the problem: %v", problem)
	}
	row, err := s.Goals.Get(ctx, g.ID)
	if err != nil || row.Objective != g.Objective || row.Policy.Dir != g.Policy.Dir ||
		row.PolicySHA256 != g.PolicySHA256 || !row.CreatedAt.Equal(g.CreatedAt.Truncate(time.Millisecond)) {
		t.Errorf("%+v, %v", row.Goal, err)
	}
	temp := s.path()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the database for the time being is left: %v", err)
	}
}

// TestRestore_DatabaseOpen_IsRefused names the way out, and changes nothing.
func TestRestore_DatabaseOpen_IsRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, nil)
	create(t, s)
	if err := s.Backups.copyOfToday(t.Context()); err != nil {
		t.Fatal(err)
	}
	copies, err := Copies(dir)
	if err != nil || len(copies) != 1 {
		t.Fatalf("%v, %v", copies, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := Restore(ctx, dir, copies[0]); fault.Of(err).Code != fault.Conflict {
		t.Errorf("%v", err)
	}
	if rows, _, err := s.Goals.List(t.Context(), Filter{}); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}
