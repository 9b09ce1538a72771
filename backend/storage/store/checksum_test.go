package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
)

// TestList_BitsFlippedInAGoal_SaysSoPlainly: the columns of goals have no checksum, but they are JSON.
func TestList_BitsFlippedInAGoal_SaysSoPlainly(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := open(t, dir, nil)
	create(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "goalpost.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content = bytes.ReplaceAll(content, []byte(`"risk":"write_local"`), []byte(`"risk":#write_local"`))
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err = open(t, dir, nil).Goals.List(ctx, Filter{})
	problem := fault.Of(Explain(err))
	if want := "the database is damaged: a part of it is missing or was overwritten"; problem.Message != want ||
		!strings.Contains(problem.Hint, "goalctl doctor") {
		t.Errorf("%+v", problem)
	}
}

// TestEvents_BitsFlipped_AreNamedAndTheRestIsRead changes bytes in the file: words inside of a text, a quote, which
// leaves no JSON, and the verdict of a claim.
func TestEvents_BitsFlipped_AreNamedAndTheRestIsRead(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	s := open(t, dir, nil)
	g := create(t, s)
	run := begin(t, s, g.ID)
	say := func(text string) event.Body {
		return &event.Message{Message: goal.Message{Role: goal.Assistant, Text: text}}
	}
	err := s.Journal.Append(ctx, run, say("first"), say("the total is 42"), say("third"), say("fourth"), say("last"),
		&event.Claim{N: 1, Rationale: "it is there"},
		&event.Verdict{Claim: 1, Verdict: goal.Verdict{Name: "tests", Outcome: goal.Pass, Detail: "all of them passed"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Backups.Check(ctx), s.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "goalpost.db")
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		"the total is 42":    "the total is 41",
		`"text":"fourth"`:    `"text":#fourth"`,
		`"name":"tests"`:     `"name":#tests"`, // in the journal and in the table of verdicts
		"all of them passed": "all of them paSsed",
	} {
		if !bytes.Contains(content, []byte(from)) {
			t.Fatalf("%q is not in the file", from)
		}
		content = bytes.ReplaceAll(content, []byte(from), []byte(to))
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}

	s = open(t, dir, nil)
	list, err := s.History.Events(ctx, g.ID, 0, 100)
	if err != nil || len(list) != 9 {
		t.Fatalf("%d events, %v", len(list), err)
	}
	var damaged []int64
	for _, e := range list {
		if w, ok := e.Body.(*event.Warning); ok && w.What == event.DamagedWarning && strings.Contains(w.Text, "is damaged") {
			damaged = append(damaged, e.Seq)
		}
	}
	found, err := s.History.Damaged(ctx, g.ID)
	if got := FormatEvents(damaged); err != nil || got != FormatEvents(found) || got != "events 4, 6, 9" {
		t.Errorf("damaged: %v, %v, %v", damaged, found, err)
	}
	if claims, err := s.History.Claims(ctx, g.ID); err != nil || len(claims) != 1 || len(claims[0].Verdicts) != 1 ||
		claims[0].Verdicts[0].Outcome != goal.CheckErr {
		t.Errorf("claims %+v, %v", claims, err)
	}
	if rows, err := s.History.Transcript(ctx, g.ID, 0, 100); err != nil || len(rows) == 0 {
		t.Errorf("%d rows of the transcript, %v", len(rows), err)
	}
	problem := fault.Of(s.Backups.Check(ctx))
	if want := "bits changed on the disk in events 4, 6, 9 of goal " + g.ID.Short(); !strings.Contains(problem.Message,
		want) || problem.Hint == "" {
		t.Errorf("%+v", problem)
	}
}
