package calls_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// TestDatabaseAPI_DamagedFile_IsReplacedAndKept restores the only copy of a real database, then starts anew.
func TestDatabaseAPI_DamagedFile_IsReplacedAndKept(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s, err := store.Open(ctx, store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Workspace.SaveLayout(ctx, "main", "{}"); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "goalpost.db")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.MkdirAll(filepath.Join(dir, "backups"), 0o700),
		os.WriteFile(filepath.Join(dir, "backups", "goalpost-20261128T091200Z.db"), whole, 0o600),
		os.WriteFile(path, []byte("not a database, but a letter of a page or more"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(ctx, store.Options{Dir: dir})
	var unreadable *store.UnreadableError
	if !errors.As(err, &unreadable) {
		t.Fatalf("it was opened: %v", err)
	}
	restarted := false
	a := calls.NewDatabaseAPI(ctx, dir, unreadable, calls.WaysOut{
		Restart: func() error { restarted = true; return nil },
	})

	const at = "2026-11-28T09:12:00Z"
	problem, err := a.Problem()
	if err != nil || !problem.Damaged || len(problem.Copies) != 1 || problem.Copies[0].At != at || problem.Hint != "" {
		t.Errorf("%+v, %v", problem, err)
	}
	if _, err := a.Restore("2026-11-27T09:12:00Z"); err == nil {
		t.Error("a copy that does not exist was restored")
	}
	kept, err := a.Restore(at)
	if b, readErr := os.ReadFile(kept); err != nil || readErr != nil || string(b[:3]) != "not" {
		t.Errorf("kept %q: %q, %v, %v", kept, b, err, readErr)
	}
	layoutOf(t, dir, "{}")
	if _, err := a.StartAnew(); err != nil {
		t.Error(err)
	}
	layoutOf(t, dir, "")
	if ok, err := a.Restart(); !ok || err != nil || !restarted {
		t.Errorf("restarted %v: %v, %v", restarted, ok, err)
	}
}

// layoutOf checks the saved layout of a data folder.
func layoutOf(t *testing.T, dir, want string) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Workspace.Layout(t.Context(), "main"); err != nil || got != want {
		t.Errorf("the layout is %q, not %q, %v", got, want, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
