package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"goalpost/backend/domain/goal"
)

// ReadEvidence reads the text that a handle of this goal names: "step:12" is the whole result of a step, "check:1@3"
// the stored output of check 1 at claim 3.
func (a *ArtifactFiles) ReadEvidence(ctx context.Context, id goal.ID, handle string) ([]byte, error) {
	var n, check, claim int
	if _, err := fmt.Sscanf(handle, "step:%d", &n); err == nil && handle == fmt.Sprintf("step:%d", n) {
		return a.evidence(ctx, handle, `SELECT whole_sha256, result FROM results WHERE goal_id = ? AND n = ?`, id, n)
	}
	if _, err := fmt.Sscanf(handle, "check:%d@%d", &check, &claim); err == nil &&
		handle == fmt.Sprintf("check:%d@%d", check, claim) {
		return a.evidence(ctx, handle,
			`SELECT coalesce(verdict ->> 'evidence', ''), coalesce(verdict ->> 'detail', '') FROM verdicts
			WHERE goal_id = ? AND check_n = ? AND claim = ?`, id, check-1, claim)
	}
	return nil, fmt.Errorf("%w: the handle %q; handles are like step:12 and check:1@3", goal.ErrNotFound, handle)
}

func (a *ArtifactFiles) evidence(ctx context.Context, handle, q string, args ...any) ([]byte, error) {
	var sum, text string
	err := a.read.QueryRowContext(ctx, q, args...).Scan(&sum, &text)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("%w: nothing is stored under %s", goal.ErrNotFound, handle)
	}
	if err != nil {
		return nil, fmt.Errorf("evidence: %w", err)
	}
	if sum == "" {
		return []byte(text), nil
	}
	return a.Artifact(sum)
}
