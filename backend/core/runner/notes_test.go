package runner

import (
	"fmt"
	"strings"
	"testing"

	"goalpost/backend/domain/goal"
)

// TestWriteNote_AboveTheLimit_DropsTheOldestAndSaysSo checks what the agent is told about each change of its notes.
func TestWriteNote_AboveTheLimit_DropsTheOldestAndSaysSo(t *testing.T) {
	r := newTestRun(goal.Goal{}, &watchClock{})
	r.plan.todos = []goal.Todo{{Text: "dig"}}
	long := strings.Repeat("x", maxNote)
	for i, c := range []struct {
		n          int
		text, says string
	}{
		{0, "port 7443", "note 1 is saved; you have 1 note with 9 of 8192 bytes"},
		{0, "second", "note 2 is saved; you have 2 notes"},
		{2, "port 7444", "note 2 is saved; you have 2 notes with 18 of 8192 bytes"},
		{0, long, "note 3 is saved"},
		{2, "", "note 2 is removed; you have 2 notes"},
		{2, "again", "there is no note 2; you have 2 notes"},
		{0, " ", "the note is empty"},
		{0, long + "x", "the note has 2049 bytes, and at most 2048 are kept"},
		{0, long, "note 4 is saved"},
		{0, long, "note 5 is saved"},
		{0, long, `note 6 is saved; note 1 was dropped, because all notes together have at most 8192 bytes: "port 7443"`},
	} {
		said, err := r.plan.WriteNote(t.Context(), c.n, c.text)
		if err != nil {
			said = err.Error()
		}
		if !strings.HasPrefix(said, c.says) {
			t.Errorf("call %d says %.200q, want %q", i, said, c.says)
		}
	}
	numbers := ""
	for _, n := range r.plan.notes {
		numbers += fmt.Sprint(n.N, " ")
	}
	if numbers != "3 4 5 6 " || len(r.plan.todos) != 1 {
		t.Errorf("the notes %s are left, and %d todos", numbers, len(r.plan.todos))
	}
	r.plan.window = 8_000
	if _, err := r.plan.WriteNote(t.Context(), 0, long+"x"); err == nil || noteLimit(8_000) > 2300 {
		t.Errorf("a small window has notes of %d bytes", noteLimit(8_000))
	}
}
