package store

import (
	"context"
	"errors"
	"time"

	"goalpost/backend/domain/goal"
)

// UserQuestions finds the goals that wait for a user, and the reasons.
type UserQuestions struct {
	*connection
	goals *GoalTable
}

// WaitsForManual reports whether the goal is paused for the user's decision about a manual check, or about a claim that
// no judge decided: the newest claim was the last event, and it has not failed.
func (u *UserQuestions) WaitsForManual(ctx context.Context, g GoalRow) (bool, error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsUser {
		return false, nil
	}
	return readValue[bool](ctx, u.read, "read whether the goal waits for its user",
		`WITH last (seq) AS (SELECT max(seq) FROM events WHERE goal_id = ?1 AND type = 'claim')
		SELECT (SELECT seq FROM last) IS NOT NULL AND NOT EXISTS (
			SELECT 1 FROM events WHERE goal_id = ?1 AND seq > (SELECT seq FROM last) AND (type IN
			('verification_failed','iteration')
				OR type = 'verdict' AND body ->> 'outcome' = 'tampered'))
		AND (?2 OR EXISTS (SELECT 1 FROM events WHERE goal_id = ?1 AND seq > (SELECT seq FROM last) AND
			(type = 'verdict' AND body ->> 'judge_failed' OR type = 'review' AND body ->> 'error')))`,
		g.ID, g.Criterion.AsksUser())
}

// WasQueued reports whether a goal has waited in the queue.
func (u *UserQuestions) WasQueued(ctx context.Context, id goal.ID) (waited bool, err error) {
	return readValue[bool](ctx, u.read, "read whether the goal was queued",
		"SELECT EXISTS (SELECT 1 FROM events WHERE goal_id = ? AND type = 'queued')", id)
}

// ManuallyAnswered lists the goals that are paused for the user although the user has accepted or rejected the
// result: no run has processed the answer yet.
func (u *UserQuestions) ManuallyAnswered(ctx context.Context) ([]goal.ID, error) {
	return readRows(ctx, u.read, "read the answered goals", scanValue[goal.ID],
		`SELECT DISTINCT o.goal_id FROM orders o JOIN goals g ON g.id = o.goal_id
		WHERE o.taken_at = '' AND o.kind IN ('accept','reject') AND g.status = 'paused' AND g.exit = 'needs_user' ORDER
		BY 1`)
}

// Subject is what a paused goal needs the user for.
type Subject struct {
	Pane    string              // where the user is to act, "" if nowhere
	Unlock  string              // the protected file that the agent asks to change, "" if none
	Show    string              // the change that it proposes for that file, as a diff
	Changed []goal.DecidingFile // files that decide about the goal and were changed
}

// Subject returns what a goal that is paused for the user needs the user for.
func (u *UserQuestions) Subject(ctx context.Context, g GoalRow) (s Subject, err error) {
	if g.Status != goal.Paused || g.Exit != goal.NeedsUser {
		return s, nil
	}
	list, err := readRows(ctx, u.read, "read what a goal needs the user for", func(r scanner, s *Subject) error {
		return r.Scan(&s.Pane, &s.Unlock, &s.Show, jsonColumn{&s.Changed})
	}, `SELECT coalesce(body ->> 'pane', ''), coalesce(body ->> 'unlock', ''), coalesce(body ->> 'show', ''),
		body -> 'changed' FROM events WHERE goal_id = ? AND type = 'paused'
		ORDER BY seq DESC LIMIT 1`, g.ID)
	if len(list) > 0 {
		s = list[0]
	}
	return s, err
}

// PendingQuestion is a goal that is paused for the user, with the reason.
type PendingQuestion struct {
	GoalRow
	At     time.Time
	Reason string // begins with goal.QuestionPrefix if its agent asked
	Subject
	Waits bool // for the user's decision about a manual check
}

// PendingQuestions reads the goals that are paused for the user, or one of them, oldest first.
func (u *UserQuestions) PendingQuestions(ctx context.Context, id goal.ID) ([]PendingQuestion, error) {
	list, err := readRows(ctx, u.read, "read the questions of goals", func(r scanner, a *PendingQuestion) error {
		return r.Scan(&a.ID, timeColumn{&a.At}, &a.Reason, &a.Pane, &a.Unlock, &a.Show, jsonColumn{&a.Changed})
	}, `SELECT g.id, p.at, coalesce(p.body ->> 'reason', ''), coalesce(p.body ->> 'pane', ''),
		coalesce(p.body ->> 'unlock', ''), coalesce(p.body ->> 'show', ''), p.body -> 'changed'
		FROM goals g
		JOIN events p ON p.goal_id = g.id AND p.seq = (SELECT max(seq) FROM events WHERE goal_id = g.id AND type = 'paused')
		WHERE g.status = 'paused' AND g.exit = 'needs_user' AND (?1 = '' OR g.id = ?1) ORDER BY p.at, g.id`, id)
	if err != nil {
		return nil, err
	}
	return u.confirmPending(ctx, list)
}

// confirmPending reads the goals again, and leaves out those that continued or were deleted in the meantime.
func (u *UserQuestions) confirmPending(
	ctx context.Context, list []PendingQuestion,
) (open []PendingQuestion, err error) {
	for _, a := range list {
		a.GoalRow, err = u.goals.Get(ctx, a.ID)
		if errors.Is(err, goal.ErrNotFound) || err == nil && (a.Status != goal.Paused || a.Exit != goal.NeedsUser) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if a.Waits, err = u.WaitsForManual(ctx, a.GoalRow); err != nil {
			return nil, err
		}
		open = append(open, a)
	}
	return open, nil
}
