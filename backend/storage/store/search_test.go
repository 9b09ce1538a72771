package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/waittest"
)

// found searches, and describes the hits of each goal: its last characters, the kinds, the steps, and what was found in
// brackets.
func found(t *testing.T, s *Store, words string) string {
	t.Helper()
	r, err := s.Search.Search(t.Context(), words, 0)
	if err != nil || r.Behind != 0 {
		t.Fatalf("search for %q: %v, %d behind", words, err, r.Behind)
	}
	var b strings.Builder
	for _, g := range r.Goals {
		for _, hit := range g.Hits {
			fmt.Fprintf(&b, "%d:%d ", hit.Kind, hit.Step)
			for _, part := range hit.Parts {
				if part.Found {
					b.WriteString("[" + part.Text + "]")
				} else {
					b.WriteString(part.Text)
				}
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func appendAll(t testing.TB, s *Store, run goal.Run, bodies ...event.Body) {
	t.Helper()
	if err := s.Journal.Append(t.Context(), run, bodies...); err != nil {
		t.Fatal(err)
	}
}

// worked creates a goal that did one thing of each kind.
func worked(t testing.TB, s *Store) *goal.Goal {
	t.Helper()
	g := create(t, s)
	run := begin(t, s, g.ID)
	appendAll(t, s, run,
		&event.Message{Message: goal.Message{Role: goal.User, Text: "the host wrote persimmon"}},
		&event.Steered{Text: "please use a quince"},
		&event.Message{Message: goal.Message{
			Role: goal.Assistant, Text: "I look for the\ncafé first.", Reasoning: &goal.Reasoning{Text: "maybe a medlar"},
		}},
		&event.StepStarted{
			StepID: 1, Tool: "run_command", Arguments: `{"command":"make\nnectarine"}`,
			Effect: policy.Effect{Risk: policy.WriteLocal, Paths: []string{"/work/src/apricot.go"}},
		},
		&event.Step{StepID: 1, Tool: "run_command", Outcome: event.OK, Preview: "ok", Result: "exit 0\ntamarind\n" +
			strings.Repeat("lorem ", 5000) + "kumquat"},
		&event.Message{Message: goal.Message{Role: goal.ToolRole, Step: 1, Text: "exit 0\ntamarind"}},
		&event.Critic{Verdict: event.Progressing, Reason: "it may need a rambutan", Step: 1},
		&event.Claim{N: 1, Rationale: "the papaya is there"},
		&event.Verdict{Claim: 1, Verdict: goal.Verdict{
			Name: "make test", Outcome: goal.Fail, Detail: "exited with 2", Tail: "FAIL: mangosteen",
			Changes: []goal.FileChange{{Path: "tests/longan_test.go"}},
		}},
		&event.Ended{Status: goal.Failed, Exit: goal.LimitReached, Report: []string{"It ended.", "Created lychee.txt"}})
	return g
}

func TestSearch_EachKindOfText_IsFoundWithItsPlace(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	worked(t, s)
	for words, want := range map[string]string{
		"create DONE":    "0:0 [create] [done].txt\n",
		"lychee":         "1:1 It ended. Created [lychee].txt\n",
		"apricot":        "2:1 /work/src/[apricot].go\n",
		"src/apricot.go": "2:1 /work/[src]/[apricot].[go]\n",
		"longan":         "2:1 tests/[longan]_test.go\n",
		"quince":         "3:0 please use a [quince]\n",
		"cafe":           "4:0 I look for the [café] first. maybe a medlar\n",
		"MEDLAR":         "4:0 I look for the café first. maybe a [medlar]\n",
		"papaya":         "4:1 the [papaya] is there\n",
		"rambutan":       "5:1 it may need a [rambutan]\n",
		"mangos":         "5:1 make test: exited with 2 FAIL: [mangosteen]\n",
		"nectarine":      "6:1 run_command make [nectarine]\n",
		`"the papaya"`:   "4:1 [the] [papaya] is there\n",
		`"papaya the"`:   "",
		"persimmon":      "", // what the host wrote is in the objective and the results
		"papaya quince":  "", // in two texts
		"fail mangos":    "5:1 make test: exited with 2 [FAIL]: [mangosteen]\n",
		"fai mangosteen": "", // only the last word may be a beginning
	} {
		if got := found(t, s, words); got != want {
			t.Errorf("%q:\n%swant\n%s", words, got, want)
		}
	}
	if got := found(t, s, "tamarind exit"); !strings.HasPrefix(got, "7:1 [exit] 0 [tamarind] lorem ") ||
		!strings.HasSuffix(got, "…\n") || len(got) > 250 {
		t.Errorf("the beginning of a long text: %s", got)
	}
	if got := found(t, s, "kumquat"); !strings.HasPrefix(got, "7:1 …") || !strings.HasSuffix(got, "[kumquat]\n") {
		t.Errorf("the end of a long text: %s", got)
	}
}

// TestSearch_SeveralGoals_AreNewestFirst also checks the limits and the counts.
func TestSearch_SeveralGoals_AreNewestFirst(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	old, newer := create(t, s), create(t, s)
	run := begin(t, s, old.ID)
	for n := range 5 {
		appendAll(t, s, run, &event.StepStarted{StepID: n + 1, Tool: "run_command", Arguments: `{"command":"make durian"}`})
	}
	appendAll(t, s, begin(t, s, newer.ID), &event.Steered{Text: "a durian"})
	r, err := s.Search.Search(t.Context(), "durian", 0)
	if err != nil || r.Total != 2 || len(r.Goals) != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	if r.Goals[0].Goal != newer.ID || r.Goals[1].Goal != old.ID || r.Goals[1].Total != 5 || len(r.Goals[1].Hits) != 3 ||
		r.Goals[1].Hits[2].Step != 3 {
		t.Errorf("%+v", r)
	}
	if r, err = s.Search.Search(t.Context(), "durian", 1); err != nil || r.Total != 2 || len(r.Goals) != 1 {
		t.Errorf("limited to one goal: %+v, %v", r, err)
	}
}

// TestSearch_DeletedGoal_LeavesNothing looks into the index itself.
func TestSearch_DeletedGoal_LeavesNothing(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g, other := worked(t, s), create(t, s)
	if found(t, s, "lychee") == "" {
		t.Fatal("it is not found")
	}
	if err := s.Goals.Delete(t.Context(), g.ID); err != nil {
		t.Fatal(err)
	}
	left := func(what, query string) {
		n, err := readValue[int](t.Context(), s.Search.current(), what, query)
		if err != nil || n != 1 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
	}
	left("goals", "SELECT count(*) FROM goals")
	left("texts", "SELECT count(*) FROM words") // the objective of the other
	if found(t, s, "lychee") != "" {
		t.Error("it is found")
	}
	// One that another process deleted, which knew no index.
	err := s.connection.tx(t.Context(), func(tx *sql.Tx) error {
		return errors.Join(
			execStatement(t.Context(), tx, "delete", "INSERT INTO pruning VALUES (?)", other.ID),
			execStatement(t.Context(), tx, "delete", "DELETE FROM goals WHERE id = ?", other.ID))
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, s, "done"); got != "" {
		t.Errorf("found %s", got)
	}
}

// TestSearch_IndexCutOff_IsCompleted checks what a search finds after a process was killed between two batches, or
// while it wrote one.
func TestSearch_IndexCutOff_IsCompleted(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	for n := range 2 * searchBatch {
		appendAll(t, s, run, &event.Steered{Text: fmt.Sprintf("note guava%d", n)})
	}
	killed := errors.New("killed")
	behind, err := s.Search.readBatch(t.Context())
	if err != nil || behind < searchBatch {
		t.Fatalf("the first batch: %d behind, %v", behind, err)
	}
	err = inTransaction(t.Context(), s.Search.db, func(tx *sql.Tx) error {
		ends := []goalEnd{{id: g.ID, seq: 2 * searchBatch}}
		if _, err := s.Search.readGoals(t.Context(), tx, ends); err != nil {
			return err
		}
		return killed
	})
	if !errors.Is(err, killed) {
		t.Fatal(err)
	}
	for _, n := range []int{0, searchBatch, 2*searchBatch - 1} {
		word := fmt.Sprintf("guava%d", n)
		if got := found(t, s, `"`+word+`"`); got != "3:0 note ["+word+"]\n" {
			t.Errorf("%s: %s", word, got)
		}
	}
}

// TestSearch_IndexUnusable_IsMadeAgain: its file is damaged, is gone, or is of another version or another journal.
func TestSearch_IndexUnusable_IsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	index := filepath.Join(dir, "search.db")
	with := func(name string, change func(s *Store)) {
		t.Run(name, func(t *testing.T) {
			s, err := Open(t.Context(), Options{Dir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			change(s)
			if got := found(t, s, "lychee"); got != "1:1 It ended. Created [lychee].txt\n" {
				t.Errorf("found %q", got)
			}
			if info, err := os.Stat(index); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
	change := func(s *Store, statement string) {
		found(t, s, "any")
		if _, err := s.Search.current().ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
		if err := s.Search.close(); err != nil {
			t.Fatal(err)
		}
	}
	with("new", func(s *Store) { worked(t, s) })
	with("not a database", func(*Store) {
		if err := os.WriteFile(index, []byte(strings.Repeat("not a database ", 500)), 0o600); err != nil {
			t.Fatal(err)
		}
	})
	with("damaged while it is open", func(s *Store) {
		found(t, s, "any")
		overwritePage(t, index, 2)
		for _, name := range []string{"words_segments", "words_segdir", "words_content"} {
			if _, err := s.Search.current().ExecContext(t.Context(), "UPDATE "+name+" SET rowid = rowid"); err != nil {
				break
			}
		}
	})
	with("gone", func(*Store) {
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
	})
	with("of another version", func(s *Store) { change(s, "PRAGMA user_version = 99") })
	with("of another journal", func(s *Store) {
		change(s, "UPDATE goals SET checksum = 1, updated_at = ''; DELETE FROM words")
	})
	with("of a journal that went on", func(s *Store) { change(s, "UPDATE goals SET seq = 999; DELETE FROM words") })
}

// TestSearch_HostileWords_AreOnlyWords: nothing that a user types is an error or a command of the search engine.
func TestSearch_HostileWords_AreOnlyWords(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	worked(t, s)
	for _, words := range []string{
		"", " ", `"`, `""`, `"""`, `" "`, "*", "**", "a*b", "-", "NOT", "AND", "OR", "NEAR", "NEAR/2", "a NEAR/2 b", "(",
		")", "((", "text:x", "step:1", "^a", "lychee OR", "lychee AND NOT", "lychee\x00tamarind", "\x00", "'",
		"';DROP TABLE words;--", `\`, "%", "_", "?1", ":a", "\xff\xfe", "💥", "\u0301", "\u200f", "中文",
		strings.Repeat("a", 1<<20), strings.Repeat("a ", 1<<16), strings.Repeat(`"`, 1<<12), strings.Repeat("(", 1<<12),
		strings.Repeat("é", 10_000), "𞤀", "\U000e0041", "ⷠ", "\u1885",
	} {
		if _, err := s.Search.Search(t.Context(), words, 0); err != nil {
			t.Errorf("%.40q: %v", words, err)
		}
	}
	for _, words := range []string{
		"lychee*", "(lychee)", "-lychee", "^lychee", `"lychee`, "'lychee'", "lychee\x00", "lychee -",
	} {
		if got := found(t, s, words); !strings.Contains(got, "[lychee]") {
			t.Errorf("%q: %q", words, got)
		}
	}
	for _, words := range []string{"lychee OR quince", "lychee NOT quince", "text:lychee", "lychee NEAR/9 ended"} {
		if got := found(t, s, words); got != "" {
			t.Errorf("%q: %q", words, got)
		}
	}
}

func FuzzMatchExpression(f *testing.F) {
	s := open(f, f.TempDir(), nil)
	worked(f, s)
	for _, words := range []string{"", `a "b c" d`, `"`, "a*", "NEAR/2 (x", "\x00", "é", "1 ½ ²"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		if _, err := s.Search.Search(t.Context(), words, 1); err != nil {
			t.Errorf("%q: %v", words, err)
		}
	})
}

// TestSearch_HostileTexts_AreShownWhole: texts that are not UTF-8, have no spaces, or have what a terminal interprets.
func TestSearch_HostileTexts_AreShownWhole(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	run := begin(t, s, create(t, s).ID)
	long := strings.Repeat("é", 3000)
	appendAll(t, s, run, &event.Steered{Text: "\x1b[31m rambai\x00\x07santol " + long + " langsat\xff \u202esapodilla"})
	for words, want := range map[string]string{
		"rambai":    "3:0  [31m [rambai]",
		"santol":    "[santol]",
		"langsat":   "[langsat]",
		"sapodilla": "[sapodilla]",
	} {
		if got := found(t, s, words); !strings.Contains(got, want) {
			t.Errorf("%q: %q", words, got)
		}
	}
}

// TestSearch_ReadOnly_WorksInAFolderThatCannotBeWritten: also without a database, and then it makes no file.
func TestSearch_ReadOnly_WorksInAFolderThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	none, err := OpenReadOnly(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := found(t, none, "lychee"); got != "" {
		t.Errorf("found %q", got)
	}
	if err := none.Close(); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) > 0 {
		t.Errorf("it made %v, %v", list, err)
	}
	worked(t, open(t, dir, nil))
	if err := os.Mkdir(filepath.Join(dir, "search.db"), 0o700); err != nil { // also root cannot write a folder
		t.Fatal(err)
	}
	s, err := OpenReadOnly(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if got := found(t, s, "lychee"); got != "1:1 It ended. Created [lychee].txt\n" {
		t.Errorf("found %q", got)
	}
}

// TestStart_NewEvents_AreReadInTheBackground waits for what the background has read, without a search.
func TestStart_NewEvents_AreReadInTheBackground(t *testing.T) {
	s := open(t, t.TempDir(), nil)
	s.Search.delay = 0
	g := worked(t, s)
	s.Search.Start(context.Background())
	has := func(seq int64) func() bool {
		return func() bool {
			db := s.Search.current()
			if db == nil {
				return false
			}
			read, err := indexedGoals(t.Context(), db)
			return err == nil && read[g.ID].seq == seq
		}
	}
	waittest.Until(t, "first reading", has(12))
	appendAll(t, s, begin(t, s, g.ID), &event.Steered{Text: "salak"})
	waittest.Until(t, "reading of new events", has(14))
}

// TestSearch_TwoProcesses_ReadTheSameEvents: each event is in the index once.
func TestSearch_TwoProcesses_ReadTheSameEvents(t *testing.T) {
	dir := t.TempDir()
	one, two := open(t, dir, nil), open(t, dir, nil)
	run := begin(t, one, create(t, one).ID)
	for n := range 20 {
		appendAll(t, one, run, &event.Steered{Text: fmt.Sprintf("pomelo %d", n)})
		for _, s := range []*Store{two, one} {
			r, err := s.Search.Search(t.Context(), "pomelo", 0)
			if err != nil || len(r.Goals) != 1 || r.Goals[0].Total != n+1 {
				t.Fatalf("after %d: %+v, %v", n+1, r, err)
			}
		}
	}
}
