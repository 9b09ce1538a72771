package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/domain/goal"
)

// The bytes of one note and of all notes. In a small window, all notes together are shorter.
const (
	maxNote  = 2 << 10
	maxNotes = 8 << 10
)

// noteLimit returns how many bytes the notes may have for a model with a window of the given tokens.
func noteLimit(window int) int { return min(maxNotes, conversation.BytesForTokens(window)/12) }

// WriteNote adds, replaces or removes a note.
func (p *plan) WriteNote(ctx context.Context, n int, text string) (string, error) {
	limit := noteLimit(p.window)
	if text = strings.TrimSpace(text); len(text) > min(maxNote, limit) {
		return "", fmt.Errorf("the note has %d bytes, and at most %d are kept: shorten it", len(text), min(maxNote, limit))
	}
	notes := slices.Clone(p.notes)
	at := slices.IndexFunc(notes, func(one goal.Note) bool { return one.N == n })
	switch {
	case n != 0 && at < 0:
		return "", fmt.Errorf("there is no note %d; you have %s", n, p.describeNotes())
	case text == "" && n == 0:
		return "", errors.New("the note is empty")
	case text == "":
		notes = slices.Delete(notes, at, at+1)
	case n == 0:
		n = p.nextNote()
		notes = append(notes, goal.Note{N: n, Text: text})
	default:
		notes[at].Text = text
	}
	notes, dropped := dropOldNotes(notes, n, limit)
	if err := p.save(ctx, p.todos, notes, n); err != nil {
		return "", err
	}
	said := fmt.Sprintf("note %d is saved", n)
	if text == "" {
		said = fmt.Sprintf("note %d is removed", n)
	}
	for _, d := range dropped {
		said += fmt.Sprintf("; note %d was dropped, because all notes together have at most %d bytes: %q", d.N, limit, d.Text)
	}
	return said + "; you have " + p.describeNotes(), nil
}

// nextNote returns the number of a new note.
func (p *plan) nextNote() int {
	n := 1
	for _, note := range p.notes {
		n = max(n, note.N+1)
	}
	return n
}

// dropOldNotes drops the oldest notes, except note n, until the rest has at most limit bytes.
func dropOldNotes(notes []goal.Note, n, limit int) (left, dropped []goal.Note) {
	size := noteBytes(notes)
	for _, note := range notes {
		if size > limit && note.N != n {
			size -= len(note.Text)
			dropped = append(dropped, note)
			continue
		}
		left = append(left, note)
	}
	return left, dropped
}

func noteBytes(notes []goal.Note) int {
	size := 0
	for _, n := range notes {
		size += len(n.Text)
	}
	return size
}

func (p *plan) describeNotes() string {
	return fmt.Sprintf("%s with %d of %d bytes", goal.FormatCount(len(p.notes), "note"), noteBytes(p.notes),
		noteLimit(p.window))
}

// formatNotes returns the notes, one after the other.
func formatNotes(notes []goal.Note) string {
	parts := make([]string, len(notes))
	for i, n := range notes {
		parts[i] = fmt.Sprintf("%d. %s", n.N, n.Text)
	}
	return strings.Join(parts, "\n")
}
