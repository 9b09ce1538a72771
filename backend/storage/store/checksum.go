package store

import (
	"context"
	"database/sql"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checksumOf returns the checksum of a row of events.
func checksumOf(runID, at, kind, body string) int64 {
	sum := crc32.New(castagnoli)
	for _, column := range []string{runID, at, kind, body} {
		_, _ = io.WriteString(sum, column+"\n") // a hash returns no error
	}
	return int64(sum.Sum32())
}

// selectEvents reads the columns of an eventRow.
const selectEvents = "SELECT seq, run_id, at, type, body, checksum FROM events "

// damagedVerdict is shown in the place of a verdict that is not JSON.
const damagedVerdict = "this verdict is damaged: bits changed on the disk"

// eventRow has the columns of an event as they are stored.
type eventRow struct {
	seq                   int64
	runID, at, kind, body string
	checksum              sql.NullInt64
}

func (e *eventRow) columns() []any {
	return []any{&e.seq, &e.runID, &e.at, &e.kind, &e.body, &e.checksum}
}

// decode returns the event of a row. One that is not what was written becomes a warning that says so, and everything
// else of the journal can still be read.
func (e *eventRow) decode(id goal.ID) event.Event {
	ev := event.Event{GoalID: id, RunID: e.runID, Seq: e.seq, At: parseStamp(e.at)}
	var err error
	if ev.Body, err = event.Decode(e.kind, []byte(e.body)); err != nil || e.isDamaged() {
		ev.Body = &event.Warning{What: event.DamagedWarning, Text: fmt.Sprintf(
			"Event %d is damaged: bits of it changed on the disk, so it is left out.", e.seq)}
	}
	return ev
}

func (e *eventRow) isDamaged() bool {
	return e.checksum.Valid && e.checksum.Int64 != checksumOf(e.runID, e.at, e.kind, e.body)
}

// Damaged lists the numbers of the events of a goal that are not what was written.
func (h *History) Damaged(ctx context.Context, id goal.ID) ([]int64, error) {
	found, err := damagedEvents(ctx, h.connection.read, "WHERE goal_id = ?", id)
	return found[id], err
}

// damagedEvents lists the events that are not what was written, by their goals.
func damagedEvents(ctx context.Context, q querier, where string, args ...any) (map[goal.ID][]int64, error) {
	found := map[goal.ID][]int64{}
	err := visitRows(ctx, q, "check of the journal", func(r scanner) error {
		var id goal.ID
		var e eventRow
		if err := r.Scan(append([]any{&id}, e.columns()...)...); err != nil {
			return fmt.Errorf("check of the journal: %w", err)
		}
		if e.isDamaged() {
			found[id] = append(found[id], e.seq)
		}
		return nil
	}, "SELECT goal_id, seq, run_id, at, type, body, checksum FROM events "+where, args...)
	return found, err
}

// describeDamaged names damaged events: "events 3, 4 of goal r96rw2c4".
func describeDamaged(found map[goal.ID][]int64) string {
	var goals []string
	for id, seqs := range found {
		goals = append(goals, FormatEvents(seqs)+" of goal "+id.Short())
	}
	slices.Sort(goals)
	return strings.Join(goals, "; ")
}

// FormatEvents formats the numbers of events: "events 3, 4, 5 and 7 more".
func FormatEvents(seqs []int64) string {
	const maxNamed = 10
	var names []string
	for _, seq := range seqs[:min(maxNamed, len(seqs))] {
		names = append(names, fmt.Sprint(seq))
	}
	words := "event "
	if len(seqs) > 1 {
		words = "events "
	}
	words += strings.Join(names, ", ")
	if more := len(seqs) - maxNamed; more > 0 {
		words += fmt.Sprintf(" and %d more", more)
	}
	return words
}
