package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

func look(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := OpenReadOnly(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// TestOpenReadOnly_ChangesNothing checks the file, the schema and a goal whose process died, and that calls that write
// fail.
func TestOpenReadOnly_ChangesNothing(t *testing.T) {
	dir, ctx := t.TempDir(), context.Background()
	writer := open(t, dir, nil)
	g := create(t, writer)
	run := begin(t, writer, g.ID) // nobody holds its lock file
	s := look(t, dir)
	for name, err := range map[string]error{
		"an event":  s.Journal.Append(ctx, run, &event.Iteration{N: 1}),
		"a goal":    s.Goals.Create(ctx, g),
		"a layout":  s.Workspace.SaveLayout(ctx, "main", "{}"),
		"deleting":  s.Goals.Delete(ctx, g.ID),
		"an order":  s.Orders.Add(ctx, g.ID, goal.Order{Kind: goal.OrderSteer, Text: "x"}),
		"beginning": func() error { _, err := s.Journal.Begin(ctx, g.ID, 3); return err }(),
	} {
		if !errors.Is(err, errReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.connection.read.ExecContext(ctx, "DELETE FROM layouts"); err == nil {
		t.Error("the connection writes")
	}
	if row, err := s.Goals.Get(ctx, g.ID); err != nil || row.Status != goal.Running {
		t.Errorf("%s, %v", row.Status, err)
	}
	if alive, err := s.Locks.IsLocked(g.ID); err != nil || alive {
		t.Errorf("alive %v, %v", alive, err)
	}
	if _, err := os.Stat(s.Locks.lockPath(g.ID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("reading made a lock file: %v", err)
	}
	// The reader sees what another process commits.
	if err := writer.Journal.Append(ctx, run, &event.Iteration{N: 7}); err != nil {
		t.Fatal(err)
	}
	if row, err := s.Goals.Get(ctx, g.ID); err != nil || row.Spent.Iterations != 7 {
		t.Errorf("%+v, %v", row.Spent, err)
	}
}

// TestOpenReadOnly_NoDatabase_HasNoGoals also checks that no folder is created.
func TestOpenReadOnly_NoDatabase_HasNoGoals(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	s := look(t, dir)
	rows, n, err := s.Goals.List(context.Background(), Filter{Resumable: true})
	if err != nil || n != 0 || len(rows) != 0 {
		t.Errorf("%v %d %v", rows, n, err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("looking made the folder: %v", err)
	}
}

// TestOpenReadOnly_OtherVersion_IsRefused checks that the error names the older side, and that the file is unchanged.
func TestOpenReadOnly_OtherVersion_IsRefused(t *testing.T) {
	for _, version := range []string{"1", "99"} {
		dir := t.TempDir()
		func() {
			s, err := Open(context.Background(), Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.connection.write.ExecContext(context.Background(), "PRAGMA user_version = "+version); err != nil {
				t.Fatal(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		before, err := os.ReadFile(filepath.Join(dir, "goalpost.db"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = OpenReadOnly(context.Background(), dir)
		var older *OutdatedSchemaError
		if errors.Is(err, ErrNewerSchema) != (version == "99") || errors.As(err, &older) != (version == "1") {
			t.Errorf("version %s: %v", version, err)
		}
		after, err := os.ReadFile(filepath.Join(dir, "goalpost.db"))
		if err != nil || string(after) != string(before) {
			t.Errorf("version %s: the file was changed: %v", version, err)
		}
		if copies, _ := filepath.Glob(filepath.Join(dir, "goalpost.db.v*")); len(copies) != 0 {
			t.Errorf("version %s: copies %v", version, copies)
		}
	}
}

func TestOpenReadOnly_NotADatabase_IsRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "goalpost.db"), []byte(strings.Repeat("not a database ", 100)),
		0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenReadOnly(context.Background(), dir); err == nil || !strings.Contains(err.Error(), "goalpost.db") {
		t.Errorf("the error does not name the file: %v", err)
	}
}

// TestOpen_KilledWhileTheDatabaseWasCreated_Recovers: SQLite creates a database with a rollback journal, before it
// changes to its write-ahead log. A process that only reads finds no goals; the next one that may write begins anew.
func TestOpen_KilledWhileTheDatabaseWasCreated_Recovers(t *testing.T) {
	ctx, from, dir := t.Context(), filepath.Join(t.TempDir(), "from.db"), t.TempDir()
	db, err := openDatabase("file:" + from + "?_journal_mode=DELETE&_cache_size=2")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, "BEGIN; CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(100000))"); err != nil {
		t.Fatal(err)
	}
	keep := func(source, name string) {
		t.Helper()
		b, err := os.ReadFile(source)
		if err != nil || len(b) == 0 {
			t.Fatalf("%s has %d bytes: %v", source, len(b), err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	keep(from+"-journal", "goalpost.db-journal")
	if _, err := db.ExecContext(ctx, "COMMIT"); err != nil {
		t.Fatal(err)
	}
	keep(from, "goalpost.db")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, n, err := look(t, dir).Goals.List(ctx, Filter{}); n != 0 || err != nil {
		t.Errorf("reading: %d goals, %v", n, err)
	}
	s := open(t, dir, nil)
	create(t, s)
	if _, n, err := look(t, dir).Goals.List(ctx, Filter{}); n != 1 || err != nil {
		t.Errorf("after the creation of one: %d goals, %v", n, err)
	}
}
