package session

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/domain/goal"
)

// CommitWorktree commits the changes of a completed goal to the branch of its git worktree. It returns a sentence for
// the report, "" without a worktree.
func (se *Session) CommitWorktree(ctx context.Context, g goal.Goal, exit goal.Exit) string {
	worktree := g.Origin.Worktree
	if worktree == nil {
		return ""
	}
	at := fmt.Sprintf("It worked in the git worktree %s on branch %s", worktree.Dir, worktree.Branch)
	if exit != goal.Done {
		return fmt.Sprintf("%s. Nothing was committed, because the goal is not done; goalctl commit %s commits its changes",
			at, g.ID.Short())
	}
	commit, files, skipped, err := se.registry.Worktrees.Commit(ctx, *worktree, g.Objective)
	switch {
	case err != nil:
		return fmt.Sprintf("%s. Its changes were not committed: %v; goalctl commit %s tries again", at, err, g.ID.Short())
	case commit != "":
		at = fmt.Sprintf("%s. %s committed there as %.12s. Merge with: %s", at, goal.FormatCount(files, "file"), commit,
			worktree.MergeCommand())
	default:
		at += ". Nothing was left to commit. Merge with: " + worktree.MergeCommand()
	}
	if len(skipped) > 0 {
		at += " (without " + strings.Join(skipped, ", ") + ")"
	}
	return at
}
