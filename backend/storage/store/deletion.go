package store

import (
	"context"
	"database/sql"
	"fmt"

	"goalpost/backend/domain/goal"
)

// Delete removes a goal and everything about it, including artifacts that nothing else refers to and its part of the
// search index. A running goal is refused.
func (gt *GoalTable) Delete(ctx context.Context, id goal.ID) error {
	var orphans []string
	err := gt.tx(ctx, func(tx *sql.Tx) error {
		status, err := statusOf(ctx, tx, id)
		if err != nil {
			return err
		}
		if status == goal.Running {
			return fmt.Errorf("goal %s is running: abort it first", id.Short())
		}
		if orphans, err = exclusiveArtifacts(ctx, tx, id); err != nil {
			return err
		}
		if err := inheritSpend(ctx, tx, id); err != nil {
			return err
		}
		for _, q := range []string{
			"INSERT INTO pruning VALUES (?)", "DELETE FROM goals WHERE id = ?",
			"DELETE FROM pruning WHERE goal_id = ?",
		} {
			if err := execStatement(ctx, tx, "delete goal", q, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := gt.search.forget(ctx, id); err != nil { // the next reading of the journal removes it
		gt.log.Warn("a deleted goal is still in the search index", "goal", id, "error", err)
	}
	_, err = gt.artifacts.deleteUnreferenced(ctx, orphans)
	return err
}

// exclusiveArtifacts lists the artifacts that only this goal refers to.
func exclusiveArtifacts(ctx context.Context, tx *sql.Tx, id goal.ID) ([]string, error) {
	return artifactHashes(ctx, tx, artifactReferences+
		`SELECT DISTINCT sum FROM refs WHERE goal_id = ?1 AND sum <> '' AND sum NOT IN
			(SELECT sum FROM refs WHERE goal_id <> ?1 AND sum IS NOT NULL)`, id)
}
