package cli_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"goalpost/backend/domain/goal"
	"goalpost/backend/storage/store"
)

// previousGoal is the goal of testdata/previous/goalpost.db.gz. The program of 2026-11-22 (commit 73bf17d) wrote it for
// its demonstration, and printed events.jsonl.gz.
const previousGoal = "01m82ydhmb112ac99n6n896yb8"

// previousWords are the words of testdata/previous/receipt.json for the goal's assurance.
const previousWords = "Verified (the agent could change what the check used, or nobody observed it)"

// TestPreviousDatabase_Opened_HasItsGoalAndJournal protects the names of stored fields and events: after a rename
// without a migration, one would be missing here.
func TestPreviousDatabase_Opened_HasItsGoalAndJournal(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(state, "goalpost.db")
	if err := os.WriteFile(database, readGzip(t, "testdata/previous/goalpost.db.gz"), 0o600); err != nil {
		t.Fatal(err)
	}
	runIn(t, home, "doctor") // brings the database up to date, as the first start does
	if got, want := runIn(t, home, "events", previousGoal),
		readGzip(t, "testdata/previous/events.jsonl.gz"); !bytes.Equal(got, want) {
		t.Errorf("the journal differs:\n%s\nwant\n%s", got, want)
	}
	want, err := os.ReadFile("testdata/previous/receipt.json")
	if err != nil {
		t.Fatal(err)
	}
	// The words for the stored assurance are those of the present version.
	want = bytes.Replace(want, []byte(previousWords), []byte(goal.Shared.Describe("")), 1)
	if got := runIn(t, home, "receipt", previousGoal); !bytes.Equal(got, want) {
		t.Errorf("the receipt differs:\n%s\nwant\n%s", got, want)
	}
	var shown struct {
		Status goal.Status `json:"status"`
		Steps  int         `json:"steps"`
		Checks int         `json:"checks"`
	}
	if err := json.Unmarshal(runIn(t, home, "show", "--json", previousGoal), &shown); err != nil {
		t.Fatal(err)
	}
	if shown.Status != goal.Completed || shown.Steps != 11 || shown.Checks != 1 {
		t.Errorf("shown as %+v", shown)
	}

	s, err := store.OpenReadOnly(t.Context(), state)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	row, err := s.Goals.Get(t.Context(), previousGoal)
	if err != nil {
		t.Fatal(err)
	}
	if row.Limits != goal.DefaultLimits() {
		t.Errorf("its limits are %+v, it began with %+v", row.Limits, goal.DefaultLimits())
	}
}

// runIn runs goalctl on a data folder and returns its output. It fails the test unless the exit code is 0.
func runIn(t *testing.T, home string, args ...string) []byte {
	t.Helper()
	code, out, said := goalctl(t, home, args...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s\n%s", args, code, said, out)
	}
	return []byte(out)
}

// readGzip reads a compressed file.
func readGzip(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
