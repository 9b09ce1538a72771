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
	"goalpost/backend/lib/text"
)

// applyEvent updates the goal's row and the projection tables with an event, in the event's own transaction.
func (j *Journal) applyEvent(ctx context.Context, tx *sql.Tx, ev event.Event, p *journalCursor) error {
	if err := settleAnswered(ctx, tx, ev); err != nil {
		return err
	}
	q, args, err := j.projection(ctx, tx, ev, p)
	if err != nil || q == "" {
		return err
	}
	return execStatement(ctx, tx, ev.Body.EventType(), q, args...)
}

func (j *Journal) projection(ctx context.Context, tx *sql.Tx, ev event.Event, p *journalCursor) (string, []any, error) {
	switch b := ev.Body.(type) {
	case *event.StepStarted:
		return stepStarted(ev, b, p)
	case *event.Step:
		return j.stepEnded(ev, b)
	case *event.Claim:
		err := execStatement(ctx, tx, "claim", "UPDATE goals SET claims = ?, checks_passed = 0 WHERE id = ?", b.N, ev.GoalID)
		if err != nil {
			return "", nil, err
		}
		return "INSERT INTO claims (goal_id, n, run_id, at, at_ms, rationale, result, claimant) VALUES (?,?,?,?,?,?,?,?)",
			[]any{
				ev.GoalID, b.N, ev.RunID, formatTime(ev.At), p.msSinceStart(ev.At), text.ToUTF8(b.Rationale),
				text.ToUTF8(b.Result), b.By,
			}, nil
	case *event.Verdict:
		return j.verdict(ctx, tx, ev, b)
	case *event.Paused:
		return projectStop(ctx, tx, ev, runEnd{goal.Paused, b.Exit, false, false, b.Report, b.Account, b.Until, b.By})
	case *event.Lease:
		q, args := j.lease(ev, b)
		return q, args, nil
	case *event.ApprovalRequested:
		return approvalRequested(ev, b)
	case *event.ApprovalResolved:
		return approvalResolved(ev, b)
	case *event.GrantEnded:
		return grantEnded(ev, b)
	case *event.Ended:
		err := errors.Join(endGrants(ctx, tx, ev), closeApprovals(ctx, tx, ev), recordOutcome(ctx, tx, ev, b))
		if err != nil {
			return "", nil, err
		}
		return projectStop(ctx, tx, ev, runEnd{b.Status, b.Exit, b.Verified, b.Judged, b.Report, b.Account, "", b.By})
	case *event.Reopened:
		if b.NotDone {
			q, args := noteNotDone(ev)
			return q, args, nil
		}
	case *event.LimitsChanged:
		return limitsChanged(ev, b)
	case *event.ModelChanged:
		return modelChanged(ev, b)
	case *event.Queued:
		return projectQueued(ev, b)
	case *event.ChangesUndone: // what the checks said was about the state before
		return projectAftermath(ev, goal.Aftermath{Undone: b.Undone})
	case *event.Rechecked:
		row, err := goalOf(ctx, tx, ev.GoalID)
		if err != nil {
			return "", nil, err
		}
		return projectAftermath(ev, goal.Aftermath{
			Undone: row.Aftermath.Undone, Checks: b.Result, Passed: b.Passed, Verdicts: b.Verdicts,
		})
	}
	return "", nil, nil
}

// modelChanged stores the models that the user chose. The options of the goal stay those of its start.
func modelChanged(ev event.Event, b *event.ModelChanged) (string, []any, error) {
	fallbacks, err := json.Marshal(b.Fallbacks)
	if err != nil {
		return "", nil, fmt.Errorf("encode models: %w", err)
	}
	return "UPDATE goals SET provider = ?, model = ?, fallbacks = ? WHERE id = ?",
		[]any{text.ToUTF8(b.Provider), text.ToUTF8(b.Model), string(fallbacks), ev.GoalID}, nil
}

func stepStarted(ev event.Event, b *event.StepStarted, p *journalCursor) (string, []any, error) {
	return "INSERT INTO steps (goal_id, n, run_id, at, at_ms, tool, arguments, risk) VALUES (?,?,?,?,?,?,?,?)",
		[]any{
			ev.GoalID, b.StepID, ev.RunID, formatTime(ev.At), p.msSinceStart(ev.At), text.ToUTF8(b.Tool),
			text.ToUTF8(b.Arguments), string(b.Effect.Risk),
		}, nil
}

func (j *Journal) stepEnded(ev event.Event, b *event.Step) (string, []any, error) {
	if len(b.Image) > 0 {
		sum, err := j.artifacts.SaveArtifact(b.Image)
		if err != nil {
			return "", nil, err
		}
		b.ImageSHA256 = sum
	}
	if len(b.Whole) > 0 {
		sum, err := j.artifacts.SaveArtifact(b.Whole)
		if err != nil {
			return "", nil, err
		}
		b.WholeSHA256 = sum
	}
	return "INSERT INTO results (goal_id, n, run_id, at, outcome, ms, preview, result, image_sha256, whole_sha256) " +
			"VALUES (?,?,?,?,?,?,?,?,?,?)",
		[]any{
			ev.GoalID, b.StepID, ev.RunID, formatTime(ev.At), b.Outcome, b.MS, text.ToUTF8(b.Preview), text.ToUTF8(b.Result),
			b.ImageSHA256, b.WholeSHA256,
		}, nil
}

func (j *Journal) verdict(ctx context.Context, tx *sql.Tx, ev event.Event, b *event.Verdict) (string, []any, error) {
	if len(b.Output) > 0 {
		sum, err := j.artifacts.SaveArtifact(b.Output)
		if err != nil {
			return "", nil, err
		}
		b.Evidence = sum
	}
	b.TookMS = b.Took.Milliseconds()
	passed := "UPDATE goals SET checks_passed = (SELECT count(*) FROM verdicts WHERE goal_id = ?1 AND claim = ?2 AND " +
		"outcome = 'pass') + ?3 WHERE id = ?1"
	pass := 0
	if b.Outcome == goal.Pass {
		pass = 1
	}
	if err := execStatement(ctx, tx, "verdict", passed, ev.GoalID, b.Claim, pass); err != nil {
		return "", nil, err
	}
	body, err := json.Marshal(b.Verdict)
	if err != nil {
		return "", nil, fmt.Errorf("verdict: %w", err)
	}
	return "INSERT INTO verdicts (goal_id, claim, check_n, run_id, at, outcome, verdict) VALUES (?,?,?,?,?,?,?)",
		[]any{ev.GoalID, b.Claim, b.Check, ev.RunID, formatTime(ev.At), b.Outcome, string(body)}, nil
}

// runEnd holds the fields of a goal's row about the end of a run.
type runEnd struct {
	status   goal.Status
	exit     goal.Exit
	verified bool
	judged   bool
	report   []string
	account  string
	until    string
	by       goal.ID
}

// stoppedByExpr is SQL for who stopped the goal. ?1 is its id, ?2 the name. A pending pause order of the user takes
// precedence: only the user then resumes the goal.
const stoppedByExpr = "CASE WHEN EXISTS (SELECT 1 FROM orders o WHERE o.goal_id = ?1 AND o.taken_at = '' AND " +
	"o.kind = 'pause' AND o.request = '') THEN '' ELSE ?2 END"

func projectStop(ctx context.Context, tx *sql.Tx, ev event.Event, s runEnd) (string, []any, error) {
	if err := checkTransition(ctx, tx, ev.GoalID, s.status); err != nil {
		return "", nil, err
	}
	body, err := json.Marshal(append([]string{}, s.report...))
	if err != nil {
		return "", nil, fmt.Errorf("report: %w", err)
	}
	ended := ""
	if s.status != goal.Paused {
		ended = formatTime(ev.At)
	}
	return "UPDATE goals SET stopped_by = " + stoppedByExpr +
			", status = ?, exit = ?, verified = ?, judged = ?, report = ?, ended_at = ?, account = ?, parked_until = ?, " +
			"queued = '' WHERE id = ?1",
		[]any{ev.GoalID, s.by, s.status, s.exit, s.verified, s.judged, string(body), ended, text.ToUTF8(s.account), s.until},
		nil
}

func projectAftermath(ev event.Event, a goal.Aftermath) (string, []any, error) {
	body, err := json.Marshal(a)
	if err != nil {
		return "", nil, fmt.Errorf("aftermath: %w", err)
	}
	return "UPDATE goals SET aftermath = ? WHERE id = ?", []any{string(body), ev.GoalID}, nil
}

func projectQueued(ev event.Event, b *event.Queued) (string, []any, error) {
	waits := text.ToUTF8(b.Reason)
	if b.Left != "" {
		waits = ""
	}
	if b.Left == goal.PausedByUser { // a goal that waited for its provider no longer continues automatically
		return "UPDATE goals SET stopped_by = " + stoppedByExpr +
				", queued = '', parked_until = '', exit = CASE WHEN exit IN ('parked', 'daily_limit', 'waiting') THEN ? " +
				"ELSE exit END WHERE id = ?1",
			[]any{ev.GoalID, b.By, b.Left}, nil
	}
	return "UPDATE goals SET queued = ?, stopped_by = '' WHERE id = ?", []any{waits, ev.GoalID}, nil
}

func limitsChanged(ev event.Event, b *event.LimitsChanged) (string, []any, error) {
	body, err := json.Marshal(goal.Limits{
		WallClockMS:    (time.Duration(b.WallClockMS) * time.Millisecond).Milliseconds(),
		Iterations:     b.Iterations,
		ClaimsPerCheck: b.ClaimsPerCheck,
		Tokens:         b.Tokens,
		USD:            b.USD,
	})
	if err != nil {
		return "", nil, fmt.Errorf("limits: %w", err)
	}
	return "UPDATE goals SET limits = ? WHERE id = ?", []any{string(body), ev.GoalID}, nil
}
