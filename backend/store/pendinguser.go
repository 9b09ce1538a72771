package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"goalpost/backend/goal"
)

// userQuestions says which goals wait for a user, and for what.
type userQuestions struct {
	*connection
	goals *goalTable
}

// WaitsForManual reports whether the goal is paused for the user's decision about a manual check: the newest claim
// was the last event, it has not failed, and such a check is left.
func (s *userQuestions) WaitsForManual(ctx context.Context, g GoalRow) (bool, error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsUser || !needsUserCondition(g.Criterion) {
		return false, nil
	}
	var waits bool
	err := s.read.QueryRowContext(ctx,
		`WITH last (seq) AS (SELECT max(seq) FROM events WHERE goal_id = ?1 AND type = 'claim')
		SELECT (SELECT seq FROM last) IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM events WHERE goal_id = ?1 AND seq > (SELECT seq FROM last) AND (type IN
			('verification_failed','iteration')
				OR type = 'verdict' AND body ->> 'outcome' = 'tampered'))`, g.ID).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("does the goal wait: %w", err)
	}
	return waits, nil
}

// WasQueued reports whether a goal has waited in the queue.
func (s *userQuestions) WasQueued(ctx context.Context, id goal.ID) (waited bool, err error) {
	if err = s.read.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE goal_id = ? AND type = 'queued')",
		id).Scan(&waited); err != nil {
		return false, fmt.Errorf("did the goal wait: %w", err)
	}
	return waited, nil
}

// ManuallyAnswered lists the goals that are paused for the user although the user has accepted or rejected the
// result: no run has processed the answer yet.
func (s *userQuestions) ManuallyAnswered(ctx context.Context) ([]goal.ID, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT o.goal_id FROM orders o JOIN goals g ON g.id = o.goal_id
		WHERE o.taken_at = '' AND o.kind IN ('accept','reject') AND g.status = 'paused' AND g.exit = 'needs_operator' ORDER
		BY 1`)
	if err != nil {
		return nil, fmt.Errorf("goals that were answered: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var ids []goal.ID
	for rows.Next() {
		var id goal.ID
		if err := rows.Scan(&id); err != nil {
			return nil, fmt.Errorf("goals that were answered: %w", err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("goals that were answered: %w", err)
	}
	return ids, nil
}

// QuestionPane is the pane in which the user is to act for the agent of a paused goal, "" if it asked for nothing or
// named none.
func (s *userQuestions) QuestionPane(ctx context.Context, g GoalRow) (string, error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsUser {
		return "", nil
	}
	var name sql.NullString
	err := s.read.QueryRowContext(ctx,
		`SELECT body ->> 'pane' FROM events WHERE goal_id = ? AND type = 'paused' ORDER BY seq DESC LIMIT 1`,
		g.ID).Scan(&name)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return "", fmt.Errorf("the pane that the agent asks about: %w", err)
	}
	return name.String, nil
}

// PendingQuestion is a goal that is paused for the user, with the reason.
type PendingQuestion struct {
	GoalRow
	At     time.Time
	Reason string // begins with goal.QuestionPrefix if its agent asked
	Pane   string // where the user is to act, "" if nowhere
	Waits  bool   // for the user's decision about a manual check
}

// PendingQuestions reads the goals that are paused for the user, or one of them, oldest first.
func (s *userQuestions) PendingQuestions(ctx context.Context, id goal.ID) ([]PendingQuestion, error) {
	rows, err := s.read.QueryContext(ctx,
		`SELECT g.id, p.at, coalesce(p.body ->> 'reason', ''), coalesce(p.body ->> 'pane', '') FROM goals g
		JOIN events p ON p.goal_id = g.id AND p.seq = (SELECT max(seq) FROM events WHERE goal_id = g.id AND type = 'paused')
		WHERE g.status = 'paused' AND g.exit = 'needs_operator' AND (?1 = '' OR g.id = ?1) ORDER BY p.at, g.id`, id)
	if err != nil {
		return nil, fmt.Errorf("what goals ask: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []PendingQuestion
	for rows.Next() {
		var a PendingQuestion
		var at string
		if err := rows.Scan(&a.ID, &at, &a.Reason, &a.Pane); err != nil {
			return nil, fmt.Errorf("what goals ask: %w", err)
		}
		a.At = parseStamp(at)
		list = append(list, a)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("what goals ask: %w", err)
	}
	return s.confirmPending(ctx, list)
}

// confirmPending reads the goals again, and leaves out those that continued or were deleted in the meantime.
func (s *userQuestions) confirmPending(
	ctx context.Context, list []PendingQuestion,
) (still []PendingQuestion, err error) {
	for _, a := range list {
		a.GoalRow, err = s.goals.Goal(ctx, a.ID)
		if errors.Is(err, goal.ErrNotFound) || err == nil && (a.Status != goal.Paused || a.Exit != goal.NeedsUser) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if a.Waits, err = s.WaitsForManual(ctx, a.GoalRow); err != nil {
			return nil, err
		}
		still = append(still, a)
	}
	return still, nil
}

func needsUserCondition(c goal.Criterion) bool {
	for _, check := range c.Checks {
		if check.Type == goal.Manual && check.Wait {
			return true
		}
	}
	return false
}
