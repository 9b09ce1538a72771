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
	for _, version := range []string{"0", "99"} {
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
		if errors.Is(err, ErrNewerSchema) != (version == "99") || errors.As(err, &older) != (version == "0") {
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
