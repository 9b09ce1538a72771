package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

// ApprovalTable reads approvals of goals, and the grants that the user gave.
type ApprovalTable struct {
	*connection
}

// Approval is an approval of a goal with its place in time.
type Approval struct {
	goal.Approval
	Goal      goal.ID
	Objective string
	Status    goal.Status
	At        time.Time
	// Given is an answer that waits until the goal continues, nil if no answer waits.
	Given *goal.Order
}

func approvalRequested(ev event.Event, b *event.ApprovalRequested) (string, []any, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(b.ID, "a"))
	if err != nil {
		return "", nil, fmt.Errorf("approval %q: %w", b.ID, err)
	}
	body, err := json.Marshal(b.Approval)
	if err != nil {
		return "", nil, fmt.Errorf("approval: %w", err)
	}
	return "INSERT INTO approvals (goal_id, id, n, run_id, at, body) VALUES (?,?,?,?,?,?)",
		[]any{ev.GoalID, b.ID, n, ev.RunID, formatTime(ev.At), text.ToUTF8(string(body))}, nil
}

func approvalResolved(ev event.Event, b *event.ApprovalResolved) (string, []any, error) {
	body, err := json.Marshal(b.Answer)
	if err != nil {
		return "", nil, fmt.Errorf("answer: %w", err)
	}
	return "INSERT INTO answers (goal_id, id, run_id, at, body) VALUES (?,?,?,?,?)",
		[]any{ev.GoalID, b.Request, ev.RunID, formatTime(ev.At), text.ToUTF8(string(body))}, nil
}

func grantEnded(ev event.Event, b *event.GrantEnded) (string, []any, error) {
	return "INSERT INTO grant_ends (goal_id, id, run_id, at, why) VALUES (?,?,?,?,?)",
		[]any{ev.GoalID, b.Request, ev.RunID, formatTime(ev.At), text.ToUTF8(b.Why)}, nil
}

// endGrants ends a goal's grants with the goal.
func endGrants(ctx context.Context, tx *sql.Tx, ev event.Event) error {
	return execStatement(ctx, tx, "end grants", `INSERT INTO grant_ends (goal_id, id, run_id, at, why)
		SELECT goal_id, id, ?2, ?3, 'the goal ended' FROM answers a WHERE goal_id = ?1 AND body ->> 'allowed'
		AND NOT EXISTS (SELECT 1 FROM grant_ends e WHERE e.goal_id = a.goal_id AND e.id = a.id)`, ev.GoalID, ev.RunID,
		formatTime(ev.At))
}

// closeApprovals answers open requests when the goal ends, so that no old request waits if the goal is continued.
func closeApprovals(ctx context.Context, tx *sql.Tx, ev event.Event) error {
	body, err := json.Marshal(goal.Answer{By: goal.AnsweredByGoalEnd, Why: "the goal ended before anyone answered"})
	if err != nil {
		return fmt.Errorf("close approvals: %w", err)
	}
	return execStatement(ctx, tx, "close approvals", `INSERT INTO answers (goal_id, id, run_id, at, body)
		SELECT goal_id, id, ?2, ?3, ?4 FROM approvals a WHERE goal_id = ?1
		AND NOT EXISTS (SELECT 1 FROM answers r WHERE r.goal_id = a.goal_id AND r.id = a.id)`, ev.GoalID, ev.RunID,
		formatTime(ev.At), string(body))
}

// List reads every approval of a goal with its answer, oldest first.
func (at *ApprovalTable) List(ctx context.Context, id goal.ID) ([]goal.Approval, error) {
	return at.plainApprovals(ctx, "a.goal_id = ?", id)
}

func (at *ApprovalTable) plainApprovals(ctx context.Context, where string, args ...any) ([]goal.Approval, error) {
	list, err := at.approvals(ctx, where, args...)
	if err != nil {
		return nil, err
	}
	plain := make([]goal.Approval, len(list))
	for i, a := range list {
		plain[i] = a.Approval
	}
	return plain, nil
}

// UnreportedApprovals reads the approvals whose answer the agent does not know yet, oldest first: the user answered
// during a pause, or the goal ended without an answer, and the run that was to report it was cut off before its first
// message. Within a run the result of the call reports it, except about a host, whose call has ended.
func (at *ApprovalTable) UnreportedApprovals(ctx context.Context, id goal.ID) ([]goal.Approval, error) {
	const said = " FROM events WHERE goal_id = ?1 AND type = 'message' AND body ->> '$.message.role' = 'user' ORDER " +
		"BY seq DESC LIMIT 1)"
	const since = " FROM events WHERE goal_id = ?1 AND seq > coalesce((SELECT seq" + said + ", 0) AND type = "
	return at.plainApprovals(ctx, `a.goal_id = ?1 AND CASE r.body ->> 'by'
		WHEN 'user' THEN a.id IN (SELECT body ->> 'request'`+since+`'approval_resolved' AND (run_id <> (SELECT
		run_id`+said+` OR NOT EXISTS (SELECT 1 FROM json_each(a.body, '$.offers') o WHERE o.value ->> 'scope' = 'once')))
		WHEN 'end' THEN r.run_id IN (SELECT run_id`+since+`'ended') END`, id)
}

// OpenApprovals reads the open requests of every goal that may continue, or of one; oldest first.
func (at *ApprovalTable) OpenApprovals(ctx context.Context, id goal.ID) ([]Approval, error) {
	where, args := "r.body IS NULL AND g.status IN ('running','paused')", []any{}
	if id != "" {
		where, args = where+" AND a.goal_id = ?", append(args, id)
	}
	list, err := at.approvals(ctx, where, args...)
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Given, err = at.firstUntakenAnswer(ctx, list[i].Goal, list[i].ID); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (at *ApprovalTable) approvals(ctx context.Context, where string, args ...any) ([]Approval, error) {
	return readRows(ctx, at.read, "read approvals", func(r scanner, a *Approval) error {
		return r.Scan(&a.Goal, &a.Objective, &a.Status, timeColumn{&a.At}, jsonColumn{&a.Approval}, jsonColumn{&a.Answer})
	}, `SELECT a.goal_id, g.objective, g.status, a.at, a.body, r.body FROM approvals a
		JOIN goals g ON g.id = a.goal_id LEFT JOIN answers r ON r.goal_id = a.goal_id AND r.id = a.id WHERE `+where+` ORDER
		BY a.at, a.goal_id, a.n`, args...)
}

// firstUntakenAnswer returns the first answer to a request that no run has processed yet, nil if there is none.
func (at *ApprovalTable) firstUntakenAnswer(ctx context.Context, id goal.ID, request string) (*goal.Order, error) {
	answers, err := ordersOf(ctx, at.read,
		"goal_id = ? AND taken_at = '' AND request = ? AND kind IN ('approve','deny')", id, request)
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	return &answers[0], nil
}

// Grants reads the unrevoked grants of a goal, oldest first. Grants with a pending revocation are left out.
func (at *ApprovalTable) Grants(ctx context.Context, id goal.ID) ([]policy.Grant, error) {
	return readRows(ctx, at.read, "read grants", func(r scanner, g *policy.Grant) error {
		var a goal.Answer
		err := r.Scan(jsonColumn{&a})
		*g = a.Grant
		return err
	}, `SELECT r.body FROM answers r JOIN approvals a ON a.goal_id = r.goal_id AND a.id = r.id
		WHERE r.goal_id = ?1 AND r.body ->> 'allowed'
		AND NOT EXISTS (SELECT 1 FROM grant_ends e WHERE e.goal_id = r.goal_id AND e.id = r.id)
		AND NOT EXISTS (SELECT 1 FROM orders o WHERE o.goal_id = r.goal_id AND o.request = r.id AND o.kind = 'revoke' AND
		o.taken_at = '')
		ORDER BY a.n`, id)
}

// Granted lists the goals that are not over and have grants.
func (at *ApprovalTable) Granted(ctx context.Context) ([]goal.ID, error) {
	return readRows(ctx, at.read, "read the goals with grants", scanValue[goal.ID],
		`SELECT DISTINCT r.goal_id FROM answers r JOIN goals g ON g.id = r.goal_id
		WHERE g.status IN ('pending', 'running', 'paused') AND r.body ->> 'allowed' ORDER BY r.goal_id`)
}
