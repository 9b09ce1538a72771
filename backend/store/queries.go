package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// history reads what the journal holds of a goal: its events, steps, claims and runs.
type history struct {
	*connection
	goals     *goalTable
	artifacts *artifactFiles
	sockets   *peerSockets
}

// Events reads at most limit events after seq, oldest first.
func (s *history) Events(ctx context.Context, id goal.ID, after int64, limit int) ([]event.Event, error) {
	return s.events(ctx,
		"SELECT seq, run_id, at, type, body FROM events WHERE goal_id = ? AND seq > ? ORDER BY seq LIMIT ?", id, after, limit)
}

// Conversation reads every message of a goal, oldest first.
func (s *history) Conversation(ctx context.Context, id goal.ID) ([]goal.Message, error) {
	list, err := s.events(ctx,
		"SELECT seq, run_id, at, type, body FROM events WHERE goal_id = ? AND type = 'message' ORDER BY seq", id)
	if err != nil {
		return nil, err
	}
	messages := make([]goal.Message, 0, len(list))
	for _, ev := range list {
		if m, ok := ev.Body.(*event.Message); ok {
			messages = append(messages, m.Message)
		}
	}
	return messages, nil
}

func (s *history) events(ctx context.Context, q string, id goal.ID, args ...any) ([]event.Event, error) {
	rows, err := s.read.QueryContext(ctx, q, append([]any{id}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []event.Event
	for rows.Next() {
		var at, kind, body string
		ev := event.Event{GoalID: id}
		if err := rows.Scan(&ev.Seq, &ev.RunID, &at, &kind, &body); err != nil {
			return nil, fmt.Errorf("read journal: %w", err)
		}
		ev.At = parseStamp(at)
		if ev.Body, err = event.Decode(kind, []byte(body)); err != nil {
			return nil, fmt.Errorf("read journal of %s at %d: %w", id.Short(), ev.Seq, err)
		}
		list = append(list, ev)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read journal: %w", err)
	}
	return list, nil
}

// Step is one call of a goal with its result. Outcome is "" while it runs.
type Step struct {
	N           int
	RunID       string
	AtMS        int64 // since the goal started
	Tool        string
	Arguments   string
	Risk        string
	Outcome     event.Outcome
	MS          int64
	Preview     string
	Result      string // set only by Store.Step
	ImageSHA256 string
}

const stepColumns = `s.n, s.run_id, s.at_ms, s.tool, s.arguments, s.risk, coalesce(r.outcome,''), coalesce(r.ms,0),
	coalesce(r.preview,''),
	coalesce(r.image_sha256,'')`

// Steps reads at most limit steps after the given number, oldest first.
func (s *history) Steps(ctx context.Context, id goal.ID, after, limit int) ([]Step, error) {
	rows, err := s.read.QueryContext(ctx, "SELECT "+stepColumns+
		` FROM steps s LEFT JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n
		WHERE s.goal_id = ? AND s.n > ? ORDER BY s.n LIMIT ?`, id, after, limit)
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Step
	for rows.Next() {
		var st Step
		if err := rows.Scan(&st.N, &st.RunID, &st.AtMS, &st.Tool, &st.Arguments, &st.Risk, &st.Outcome, &st.MS, &st.Preview,
			&st.ImageSHA256); err != nil {
			return nil, fmt.Errorf("read steps: %w", err)
		}
		list = append(list, st)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	return list, nil
}

// Step reads one step with its whole result.
func (s *history) Step(ctx context.Context, id goal.ID, n int) (Step, error) {
	var st Step
	err := s.read.QueryRowContext(ctx, "SELECT "+stepColumns+`, coalesce(r.result,'') FROM steps s
		LEFT JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n WHERE s.goal_id = ? AND s.n = ?`, id, n).
		Scan(&st.N, &st.RunID, &st.AtMS, &st.Tool, &st.Arguments, &st.Risk, &st.Outcome, &st.MS, &st.Preview,
			&st.ImageSHA256, &st.Result)
	if errors.Is(err, sql.ErrNoRows) {
		return st, fmt.Errorf("%w: %s has no step %d", goal.ErrNotFound, id.Short(), n)
	}
	if err != nil {
		return st, fmt.Errorf("read step: %w", err)
	}
	return st, nil
}

// StepPoint reads where a step acted on a page, nil if nowhere in particular.
func (s *history) StepPoint(ctx context.Context, id goal.ID, n int) (*goal.Point, error) {
	list, err := s.events(ctx, `SELECT seq, run_id, at, type, body FROM events
		WHERE goal_id = ? AND type = 'step' AND body ->> 'step_id' = ?`, id, n)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if step, ok := list[len(list)-1].Body.(*event.Step); ok {
		return step.Point, nil
	}
	return nil, nil
}

// IntentsWithoutResult reads the intents of a goal that have no result.
func (s *history) IntentsWithoutResult(ctx context.Context, id goal.ID) ([]event.StepStarted, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT n, tool, arguments FROM steps WHERE goal_id = ?1
		AND n NOT IN (SELECT n FROM results WHERE goal_id = ?1) ORDER BY n`, id)
	if err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []event.StepStarted
	for rows.Next() {
		var open event.StepStarted
		if err := rows.Scan(&open.StepID, &open.Tool, &open.Arguments); err != nil {
			return nil, fmt.Errorf("read steps: %w", err)
		}
		list = append(list, open)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read steps: %w", err)
	}
	return list, nil
}

// Claim is one claim with its verdicts, in the order of the checks.
type Claim struct {
	N         int
	At        time.Time
	AtMS      int64
	By        string // critic, person; "" is the agent
	Rationale string
	Result    string
	Verdicts  []goal.Verdict
}

// Claims reads every claim of a goal, oldest first, for the receipt.
func (s *history) Claims(ctx context.Context, id goal.ID) ([]Claim, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT c.n, c.at, c.at_ms, c.claimant, c.rationale, c.result, coalesce(v.verdict,'') FROM claims c
		LEFT JOIN verdicts v ON v.goal_id = c.goal_id AND v.claim = c.n WHERE c.goal_id = ? ORDER BY c.n, v.check_n`, id)
	if err != nil {
		return nil, fmt.Errorf("read claims: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []Claim
	for rows.Next() {
		var c Claim
		var at, verdict string
		if err := rows.Scan(&c.N, &at, &c.AtMS, &c.By, &c.Rationale, &c.Result, &verdict); err != nil {
			return nil, fmt.Errorf("read claims: %w", err)
		}
		c.At = parseStamp(at)
		if len(list) == 0 || list[len(list)-1].N != c.N {
			list = append(list, c)
		}
		if verdict == "" {
			continue // the claim's verification was cut short
		}
		var v goal.Verdict
		if err := json.Unmarshal([]byte(verdict), &v); err != nil {
			return nil, fmt.Errorf("read verdict: %w", err)
		}
		last := &list[len(list)-1]
		last.Verdicts = append(last.Verdicts, v)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read claims: %w", err)
	}
	return list, nil
}

// activityQuery reads only the index steps_in_time, however large the steps are.
const activityQuery = `WITH wanted (id, last) AS (
		SELECT w.value, max(1, coalesce((SELECT max(at_ms) FROM steps WHERE goal_id = w.value), 0)) FROM json_each(?1) w)
	SELECT wanted.id, cast(min(?2 - 1, steps.at_ms * ?2 / wanted.last) AS INTEGER) AS slice, count(*)
	FROM wanted JOIN steps ON steps.goal_id = wanted.id GROUP BY wanted.id, slice`

// Activity counts the steps of goals in equal slices of each one's life.
func (s *history) Activity(ctx context.Context, slices int, ids ...goal.ID) (map[goal.ID][]int, error) {
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("activity: %w", err)
	}
	counts := make(map[goal.ID][]int, len(ids))
	for _, id := range ids {
		counts[id] = make([]int, slices)
	}
	rows, err := s.read.QueryContext(ctx, activityQuery, string(wanted), slices)
	if err != nil {
		return nil, fmt.Errorf("activity: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id goal.ID
		var slice, n int
		if err := rows.Scan(&id, &slice, &n); err != nil {
			return nil, fmt.Errorf("activity: %w", err)
		}
		counts[id][slice] = n
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("activity: %w", err)
	}
	return counts, nil
}

// assuranceQuery reads the newest end of each goal.
const assuranceQuery = `SELECT w.value, coalesce((SELECT body ->> 'assurance' FROM events INDEXED BY events_of_kind
	WHERE goal_id = w.value AND type = 'ended' AND ` + rareEventFilter +
	` ORDER BY seq DESC LIMIT 1), '') FROM json_each(?1) w`

// Assurances reads how much goals proved when they last ended. A goal that did not end, or that an older version
// ended, has none.
func (s *history) Assurances(ctx context.Context, ids ...goal.ID) (map[goal.ID]goal.Assurance, error) {
	wanted, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("assurances: %w", err)
	}
	rows, err := s.read.QueryContext(ctx, assuranceQuery, string(wanted))
	if err != nil {
		return nil, fmt.Errorf("assurances: %w", err)
	}
	defer func() { _ = rows.Close() }()
	proved := make(map[goal.ID]goal.Assurance, len(ids))
	for rows.Next() {
		var id goal.ID
		var level goal.Assurance
		if err := rows.Scan(&id, &level); err != nil {
			return nil, fmt.Errorf("assurances: %w", err)
		}
		if level != "" {
			proved[id] = level
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("assurances: %w", err)
	}
	return proved, nil
}
