package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// History reads the journal of a goal: its events, steps, claims and runs.
type History struct {
	connection *connection
	goals      *GoalTable
	artifacts  *ArtifactFiles
}

// Events reads at most limit events after seq, oldest first.
func (h *History) Events(ctx context.Context, id goal.ID, after int64, limit int) ([]event.Event, error) {
	return h.events(ctx,
		selectEvents+"WHERE goal_id = ? AND seq > ? ORDER BY seq LIMIT ?", id, after, limit)
}

// Conversation reads every message of a goal, oldest first.
func (h *History) Conversation(ctx context.Context, id goal.ID) ([]goal.Message, error) {
	list, err := h.events(ctx,
		selectEvents+"WHERE goal_id = ? AND type = 'message' ORDER BY seq", id)
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

func (h *History) events(ctx context.Context, q string, id goal.ID, args ...any) ([]event.Event, error) {
	return readRows(ctx, h.connection.read, "read journal of "+id.Short(), func(r scanner, ev *event.Event) error {
		var row eventRow
		if err := r.Scan(row.columns()...); err != nil {
			return err
		}
		*ev = row.decode(id)
		return nil
	}, q, append([]any{id}, args...)...)
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

// columns returns the destinations for the values of stepColumns.
func (s *Step) columns() []any {
	return []any{
		&s.N, &s.RunID, &s.AtMS, &s.Tool, &s.Arguments, &s.Risk, &s.Outcome, &s.MS, &s.Preview, &s.ImageSHA256,
	}
}

// Steps reads at most limit steps after the given number, oldest first.
func (h *History) Steps(ctx context.Context, id goal.ID, after, limit int) ([]Step, error) {
	return readRows(ctx, h.connection.read, "read steps",
		func(r scanner, st *Step) error { return r.Scan(st.columns()...) },
		"SELECT "+stepColumns+` FROM steps s LEFT JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n
		WHERE s.goal_id = ? AND s.n > ? ORDER BY s.n LIMIT ?`, id, after, limit)
}

// Step reads one step with its whole result.
func (h *History) Step(ctx context.Context, id goal.ID, n int) (Step, error) {
	var st Step
	err := h.connection.read.QueryRowContext(ctx, "SELECT "+stepColumns+`, coalesce(r.result,'') FROM steps s
		LEFT JOIN results r ON r.goal_id = s.goal_id AND r.n = s.n WHERE s.goal_id = ? AND s.n = ?`, id, n).
		Scan(append(st.columns(), &st.Result)...)
	if errors.Is(err, sql.ErrNoRows) {
		return st, fmt.Errorf("%w: %s has no step %d", goal.ErrNotFound, id.Short(), n)
	}
	if err != nil {
		return st, fmt.Errorf("read step: %w", err)
	}
	return st, nil
}

// StepPoint reads where a step acted on a page, nil if it acted at no point.
func (h *History) StepPoint(ctx context.Context, id goal.ID, n int) (*goal.Point, error) {
	list, err := h.events(ctx, selectEvents+`WHERE goal_id = ? AND type = 'step' AND body ->> 'step_id' = ?`, id, n)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if step, ok := list[len(list)-1].Body.(*event.Step); ok {
		return step.Point, nil
	}
	return nil, nil
}

// OpenWait returns the condition for which a goal waits, nil if it waits for none or its wait is over.
func (h *History) OpenWait(ctx context.Context, id goal.ID) (*goal.Wait, error) {
	list, err := h.events(ctx, selectEvents+"WHERE goal_id = ?1 AND "+rareEventFilter+
		` AND type = 'paused' AND NOT EXISTS (SELECT 1 FROM results WHERE goal_id = ?1 AND n = body ->> '$.wait.step')
		AND seq = (SELECT max(seq) FROM events WHERE goal_id = ?1 AND `+rareEventFilter+` AND type = 'paused')`, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	if paused, ok := list[0].Body.(*event.Paused); ok {
		return paused.Wait, nil
	}
	return nil, nil
}

// IntentsWithoutResult reads the intents of a goal that have no result.
func (h *History) IntentsWithoutResult(ctx context.Context, id goal.ID) ([]event.StepStarted, error) {
	return readRows(ctx, h.connection.read, "read steps", func(r scanner, open *event.StepStarted) error {
		return r.Scan(&open.StepID, &open.Tool, &open.Arguments)
	}, `SELECT n, tool, arguments FROM steps WHERE goal_id = ?1
		AND n NOT IN (SELECT n FROM results WHERE goal_id = ?1) ORDER BY n`, id)
}

// Claim is one claim with its verdicts, in the order of the checks.
type Claim struct {
	N         int
	At        time.Time
	AtMS      int64
	By        string // user; "" is the agent
	Rationale string
	Result    string
	Verdicts  []goal.Verdict
}

// Claims reads every claim of a goal, oldest first, for the receipt.
func (h *History) Claims(ctx context.Context, id goal.ID) ([]Claim, error) {
	var list []Claim
	err := visitRows(ctx, h.connection.read, "read claims", func(r scanner) error {
		var c Claim
		var v *goal.Verdict
		var stored sql.NullString
		if err := r.Scan(&c.N, timeColumn{&c.At}, &c.AtMS, &c.By, &c.Rationale, &c.Result, &stored); err != nil {
			return fmt.Errorf("read claims: %w", err)
		}
		if stored.Valid && json.Unmarshal([]byte(stored.String), &v) != nil {
			v = &goal.Verdict{Name: "a check", Outcome: goal.CheckErr, Detail: damagedVerdict}
		}
		if len(list) == 0 || list[len(list)-1].N != c.N {
			list = append(list, c)
		}
		if v != nil { // otherwise the claim's verification was cut short
			last := &list[len(list)-1]
			last.Verdicts = append(last.Verdicts, *v)
		}
		return nil
	}, `SELECT c.n, c.at, c.at_ms, c.claimant, c.rationale, c.result, v.verdict FROM claims c
		LEFT JOIN verdicts v ON v.goal_id = c.goal_id AND v.claim = c.n WHERE c.goal_id = ? ORDER BY c.n, v.check_n`, id)
	return list, err
}

// activityQuery reads only the index steps_in_time, however large the steps are.
const activityQuery = `WITH wanted (id, last) AS (
		SELECT w.value, max(1, coalesce((SELECT max(at_ms) FROM steps WHERE goal_id = w.value), 0)) FROM json_each(?1) w)
	SELECT wanted.id, cast(min(?2 - 1, steps.at_ms * ?2 / wanted.last) AS INTEGER) AS slice, count(*)
	FROM wanted JOIN steps ON steps.goal_id = wanted.id GROUP BY wanted.id, slice`

// Activity counts the steps of goals in equal slices of each one's life.
func (h *History) Activity(ctx context.Context, slices int, ids ...goal.ID) (map[goal.ID][]int, error) {
	idList, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("activity: %w", err)
	}
	counts := make(map[goal.ID][]int, len(ids))
	for _, id := range ids {
		counts[id] = make([]int, slices)
	}
	err = visitRows(ctx, h.connection.read, "activity", func(r scanner) error {
		var id goal.ID
		var slice, n int
		if err := r.Scan(&id, &slice, &n); err != nil {
			return fmt.Errorf("activity: %w", err)
		}
		counts[id][slice] = n
		return nil
	}, activityQuery, string(idList), slices)
	return counts, err
}

// proofQuery reads the newest end of each goal, or the newest change since, or what the user accepted after it.
const proofQuery = `SELECT w.value, coalesce((SELECT coalesce((SELECT a.body FROM events a
			WHERE a.goal_id = e.goal_id AND a.seq > e.seq AND a.type = 'accepted' ORDER BY a.seq DESC LIMIT 1), e.body)
		FROM events e INDEXED BY events_of_kind WHERE goal_id = w.value AND e.` + rareEventFilter + ` AND
			(e.type = 'ended' OR e.type = 'warning' AND e.body ->> 'what' = '` + event.ChangedWarning + `')
		ORDER BY seq DESC LIMIT 1), '') FROM json_each(?1) w`

// Proofs reads what goals prove since their last end, with the user's word about it. A goal that has not ended, or that
// ended otherwise than done, has none.
func (h *History) Proofs(ctx context.Context, ids ...goal.ID) (map[goal.ID]goal.Proof, error) {
	idList, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("proofs: %w", err)
	}
	stored, err := readMap[goal.ID, string](ctx, h.connection.read, "proofs", proofQuery, string(idList))
	if err != nil {
		return nil, err
	}
	proofs := map[goal.ID]goal.Proof{}
	for id, body := range stored {
		var last struct {
			goal.Proof
			event.Warning
		}
		if body == "" {
			continue
		}
		if err := json.Unmarshal([]byte(body), &last); err != nil {
			return nil, fmt.Errorf("proof of goal %s: %w", id, err)
		}
		switch {
		case last.What == event.ChangedWarning:
			proofs[id] = goal.Proof{Assurance: goal.Weakened, Basis: goal.BasisChanged, AssuranceReason: last.Text}
		case last.Assurance != "":
			proofs[id] = last.Proof
		}
	}
	return proofs, nil
}

// Taken returns the newest event about the changes of a race's goal being taken, the zero value if they never were.
func (h *History) Taken(ctx context.Context, id goal.ID) (taken event.Taken, at time.Time, err error) {
	list, err := h.events(ctx, selectEvents+"WHERE goal_id = ? AND type = 'taken' ORDER BY seq DESC LIMIT 1", id)
	if err != nil || len(list) == 0 {
		return taken, at, err
	}
	if b, ok := list[0].Body.(*event.Taken); ok {
		taken, at = *b, list[0].At
	}
	return taken, at, nil
}

// RaceRanking returns what a reviewer said last about the runners of a race, nil if none was asked.
func (h *History) RaceRanking(ctx context.Context, race goal.ID) (*event.RaceRanked, error) {
	list, err := h.events(ctx, selectEvents+"WHERE goal_id = ? AND type = 'race_ranked' ORDER BY seq DESC LIMIT 1", race)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	ranked, _ := list[0].Body.(*event.RaceRanked)
	return ranked, nil
}

// IsUndone reports whether the user restored an earlier state of a goal's folder after its last end.
func (h *History) IsUndone(ctx context.Context, id goal.ID) (undone bool, err error) {
	err = h.connection.read.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM events WHERE goal_id = ?1 AND type = 'changes_undone' AND seq > (
		SELECT max(seq) FROM events INDEXED BY events_of_kind WHERE goal_id = ?1 AND type = 'ended' AND `+rareEventFilter+
			`))`, id).Scan(&undone)
	if err != nil {
		return false, fmt.Errorf("undone changes of goal %s: %w", id, err)
	}
	return undone, nil
}
