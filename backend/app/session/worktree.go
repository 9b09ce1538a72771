package session

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
)

// CommitWorktree commits what the goal made to the branch of its git worktree, if it is done, and says where it is.
func (r *Session) CommitWorktree(ctx context.Context, g goal.Goal, exit goal.Exit) string {
	own := g.Options.Worktree
	if own == nil {
		return ""
	}
	at := fmt.Sprintf("It worked in the git worktree %s on branch %s", own.Dir, own.Branch)
	if exit != goal.Done {
		return at + ". Nothing was committed at this stop; goalctl commit " + g.ID.Short() + " does that"
	}
	commit, files, skipped, err := r.registry.Worktrees.Commit(ctx, *own, g.Objective)
	switch {
	case err != nil:
		return fmt.Sprintf("%s. Its changes were not committed: %v; goalctl commit %s tries it again", at, err, g.ID.Short())
	case commit != "":
		at = fmt.Sprintf("%s. %s committed there as %.12s. Merge with: %s", at, goal.FormatCount(files, "file"), commit,
			own.MergeCommand())
	default:
		at += ". Nothing was left to commit. Merge with: " + own.MergeCommand()
	}
	if len(skipped) > 0 {
		at += " (without " + strings.Join(skipped, ", ") + ")"
	}
	return at
}
