package calls

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/lifecycle"
)

// WorktreeAPI proposes, lists and removes the git worktrees of goals.
type WorktreeAPI struct {
	goals *lifecycle.Service
	apiBase
}

// NewWorktreeAPI makes the API; ctx is the program's life.
func NewWorktreeAPI(ctx context.Context, g *lifecycle.Service) *WorktreeAPI {
	return &WorktreeAPI{goals: g, apiBase: apiBase{ctx}}
}

// Offer reports whether a goal can work in a new git worktree of a folder's repository, and how.
func (w *WorktreeAPI) Offer(dir, objective string) (out api.WorktreeOffer, err error) {
	defer w.recoverProblem(&err)
	return w.goals.Intake.WorktreeOffer(w.ctx, dir, objective)
}

// List lists the git worktrees of goals, including deleted goals.
func (w *WorktreeAPI) List() (out []api.WorktreeView, err error) {
	defer w.recoverProblem(&err)
	return w.goals.Worktrees(w.ctx)
}

// Remove removes the git worktree of a goal and its branch. It refuses while the goal can still run, and, without
// force, if the worktree has work that no other branch has. which is the goal's id, or the folder.
func (w *WorktreeAPI) Remove(which string, force bool) (out WorktreeRemoval, err error) {
	defer w.recoverProblem(&err)
	removed, commit, err := w.goals.RemoveWorktree(w.ctx, which, force)
	return WorktreeRemoval{WorktreeView: removed, Commit: commit}, err
}

// WorktreeRemoval is the result of removing a worktree.
type WorktreeRemoval struct {
	api.WorktreeView
	Commit string `json:"commit"` // the last one of its branch, "" if it had none
}

// mergeCommand returns the command that merges the branch of a goal's git worktree, "" without a worktree.
func mergeCommand(g goal.Goal) string {
	if g.Origin.Worktree == nil {
		return ""
	}
	return g.Origin.Worktree.MergeCommand()
}
