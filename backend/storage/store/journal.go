package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// Journal appends events. A commit contains the events and the resulting changes of the tables.
type Journal struct {
	*connection
	artifacts *ArtifactFiles
	queue     *GoalQueue

	start   string // identifies this start of the process in leases
	publish func(event.Event)
	redact  func([]byte) []byte
	order   sync.Mutex // from before a commit until its events are published
}

// Append writes bodies to the journal of the run's goal in one durable transaction, updates the goal's row and the
// projection tables, and then publishes them. A run that is not the goal's current one is refused.
func (j *Journal) Append(ctx context.Context, run goal.Run, bodies ...event.Body) error {
	return j.commit(ctx, run, func(*sql.Tx) error { return nil }, bodies...)
}

// Begin makes a new run the goal's current one and appends its opening events. A goal that cannot start yet is
// refused with a *goal.NotReadyError.
func (j *Journal) Begin(ctx context.Context, id goal.ID, slots int, opening ...event.Body) (goal.Run, error) {
	run := goal.Run{Goal: id, ID: NewID()}
	at := formatTime(j.now())
	err := j.commit(ctx, run, func(tx *sql.Tx) error {
		if err := checkTransition(ctx, tx, id, goal.Running); err != nil {
			return err
		}
		if busy, err := j.queue.busy(ctx, tx, id, slots); err != nil || busy != nil {
			return errors.Join(err, busyError(busy))
		}
		err := execStatement(ctx, tx, "begin run",
			`UPDATE goals SET run_id = ?, status = 'running', exit = '', ended_at = '', report = '[]',
			account = '', parked_until = '', verified = 0, judged = 0, queued = '', stopped_by = '', aftermath = '{}',
			started_at = CASE started_at WHEN '' THEN ? ELSE started_at END WHERE id = ?`, run.ID, at, id)
		if err != nil {
			return err
		}
		return execStatement(ctx, tx, "begin run",
			`INSERT INTO runs (id, goal_id, pid, boot_id, started_at, heartbeat_at) VALUES (?,?,?,?,?,?)`,
			run.ID, id, os.Getpid(), bootID(), at, at)
	}, opening...)
	return run, err
}

// busyError converts b to an error; a nil pointer becomes a nil error.
func busyError(b *goal.NotReadyError) error {
	if b == nil {
		return nil
	}
	return b
}

// Heartbeat saves the spent time and the moment at which the run's owner was alive.
func (j *Journal) Heartbeat(ctx context.Context, run goal.Run, wallClock time.Duration) error {
	return j.tx(ctx, func(tx *sql.Tx) error {
		return errors.Join(
			execStatement(ctx, tx, "heartbeat", "UPDATE goals SET spent_ms = ? WHERE id = ? AND run_id = ?",
				wallClock.Milliseconds(), run.Goal, run.ID),
			execStatement(ctx, tx, "heartbeat", "UPDATE runs SET heartbeat_at = ? WHERE id = ?", formatTime(j.now()), run.ID))
	})
}

func (j *Journal) commit(ctx context.Context, run goal.Run, first func(*sql.Tx) error, bodies ...event.Body) error {
	j.order.Lock()
	defer j.order.Unlock()
	events := make([]event.Event, 0, len(bodies))
	redactedBodies := make([]event.Body, 0, len(bodies))
	for _, body := range bodies {
		body, err := j.redactBody(body)
		if err != nil {
			return err
		}
		redactedBodies = append(redactedBodies, body)
	}
	err := j.tx(ctx, func(tx *sql.Tx) error {
		if err := first(tx); err != nil {
			return err
		}
		place, err := journalCursorOf(ctx, tx, run.Goal)
		if err != nil {
			return err
		}
		if redactedBodies, err = j.completeLeases(ctx, tx, run.Goal, redactedBodies); err != nil {
			return err
		}
		for _, body := range redactedBodies {
			place.seq++
			ev := event.Event{GoalID: run.Goal, RunID: run.ID, Seq: place.seq, At: j.now().UTC(), Body: body}
			if err := j.applyEvent(ctx, tx, ev, place); err != nil {
				return err
			}
			if err := insertEvent(ctx, tx, ev); err != nil {
				return err
			}
			place.counted.add(body)
			events = append(events, ev)
		}
		return place.save(ctx, tx, events)
	})
	if err != nil {
		return err
	}
	for _, ev := range events {
		j.publish(ev)
	}
	return nil
}

// journalCursor is the end of a goal's journal within a transaction.
type journalCursor struct {
	seq     int64
	started time.Time
	counted counterDelta
}

// counterDelta holds the changes that the events of one transaction make to the counters of the goal's row, which is
// written once for all of them. 0 leaves a counter unchanged.
type counterDelta struct {
	iterations, steps   int
	unanswered          int // iterations that do not count
	tokensIn, tokensOut int64
	usd                 float64
}

func (c *counterDelta) add(body event.Body) {
	switch b := body.(type) {
	case *event.Iteration:
		c.iterations = b.N
	case *event.Paused:
		if b.Unanswered {
			c.unanswered++
		}
	case *event.StepStarted:
		c.steps = b.StepID
	case *event.Usage:
		c.tokensIn, c.tokensOut, c.usd = c.tokensIn+b.TokensIn, c.tokensOut+b.TokensOut, c.usd+b.USD
	}
}

// save writes the changes to the goal's row.
func (j *journalCursor) save(ctx context.Context, tx *sql.Tx, events []event.Event) error {
	if len(events) == 0 {
		return nil
	}
	last, c := events[len(events)-1], j.counted
	return execStatement(ctx, tx, "the goal's row",
		`UPDATE goals SET seq = ?, updated_at = ?, iterations = coalesce(nullif(?, 0), iterations) - ?,
		steps = coalesce(nullif(?, 0), steps), tokens_in = tokens_in + ?, tokens_out = tokens_out + ?, usd = usd + ? WHERE
		id = ?`,
		last.Seq, formatTime(last.At), c.iterations, c.unanswered, c.steps, c.tokensIn, c.tokensOut, c.usd, last.GoalID)
}

func journalCursorOf(ctx context.Context, tx *sql.Tx, id goal.ID) (*journalCursor, error) {
	p := &journalCursor{}
	err := tx.QueryRowContext(ctx, "SELECT seq, started_at FROM goals WHERE id = ?", id).
		Scan(&p.seq, timeColumn{&p.started})
	if errors.Is(err, sql.ErrNoRows) {
		return p, fmt.Errorf("%w: %s", goal.ErrNotFound, id)
	}
	if err != nil {
		return p, fmt.Errorf("journal: %w", err)
	}
	return p, nil
}

func (j *journalCursor) msSinceStart(at time.Time) int64 {
	if j.started.IsZero() {
		return 0
	}
	return at.Sub(j.started).Milliseconds()
}

func insertEvent(ctx context.Context, tx *sql.Tx, ev event.Event) error {
	kind := ev.Body.EventType()
	body, err := json.Marshal(ev.Body)
	if err != nil {
		return fmt.Errorf("event %s: %w", kind, err)
	}
	at := formatTime(ev.At)
	return execStatement(ctx, tx, "event "+kind,
		"INSERT INTO events (goal_id, seq, run_id, at, type, body, checksum) VALUES (?,?,?,?,?,?,?)",
		ev.GoalID, ev.Seq, ev.RunID, at, kind, string(body), checksumOf(ev.RunID, at, kind, string(body)))
}

func checkTransition(ctx context.Context, tx *sql.Tx, id goal.ID, to goal.Status) error {
	from, err := statusOf(ctx, tx, id)
	if err != nil {
		return err
	}
	return goal.Transition(from, to)
}

func statusOf(ctx context.Context, tx *sql.Tx, id goal.ID) (goal.Status, error) {
	status, err := readValue[goal.Status](ctx, tx, "status of "+id.Short(), "SELECT status FROM goals WHERE id = ?", id)
	if errors.Is(err, sql.ErrNoRows) {
		err = fmt.Errorf("%w: %s", goal.ErrNotFound, id)
	}
	return status, err
}
