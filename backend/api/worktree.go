package api

import (
	"context"

	"goalpost/backend/goal"
)

// Worktrees are the git worktrees that were made for goals.
type Worktrees interface {
	WorktreeOffer(ctx context.Context, dir, objective string) (WorktreeOffer, error)
	Worktrees(ctx context.Context) ([]WorktreeView, error)
	RemoveWorktree(ctx context.Context, which string, force bool) (WorktreeView, string, error)
}

// WorktreeAPI is for the git worktrees of goals.
type WorktreeAPI struct {
	worktrees Worktrees
	apiBase
}

// NewWorktreeAPI makes the API; ctx is the program's life.
func NewWorktreeAPI(ctx context.Context, w Worktrees) *WorktreeAPI {
	return &WorktreeAPI{worktrees: w, apiBase: apiBase{ctx}}
}

// Offer says whether a goal can work in a new git worktree of a folder's repository.
func (a *WorktreeAPI) Offer(dir, objective string) (out WorktreeOffer, err error) {
	defer a.recoverProblem(&err)
	return a.worktrees.WorktreeOffer(a.ctx, dir, objective)
}

// List lists the git worktrees of goals, also of deleted ones.
func (a *WorktreeAPI) List() (out []WorktreeView, err error) {
	defer a.recoverProblem(&err)
	return a.worktrees.Worktrees(a.ctx)
}

// Remove removes the git worktree of a goal and its branch. It refuses while the goal can still run, and, without
// force, if the worktree has work that no other branch has. which is the goal's id, or the folder.
func (a *WorktreeAPI) Remove(which string, force bool) (out WorktreeRemoved, err error) {
	defer a.recoverProblem(&err)
	removed, commit, err := a.worktrees.RemoveWorktree(a.ctx, which, force)
	return WorktreeRemoved{WorktreeView: removed, Commit: commit}, err
}

// WorktreeOffer says whether a goal can work in a new git worktree of a folder's repository.
type WorktreeOffer struct {
	Unavailable string `json:"unavailable"` // why not, "" if it can
	Repository  string `json:"repository"`  // the top of the user's work tree
	From        string `json:"from"`        // the branch that is checked out, "" if none is
	Commit      string `json:"commit"`      // where the new branch would begin
	Branch      string `json:"branch"`      // the new one
	Uncommitted int    `json:"uncommitted"` // files whose changes would not be in the worktree
}

// WorktreeView is a worktree of a goal, which may have been deleted since.
type WorktreeView struct {
	Path        string `json:"path"`
	Repository  string `json:"repository"`
	Branch      string `json:"branch"`  // "" if none is checked out
	GoalID      string `json:"goal_id"` // "" if the goal was deleted
	Objective   string `json:"objective"`
	Uncommitted int    `json:"uncommitted"` // files
	IsMerged    bool   `json:"merged"`      // another branch has its commits
	Problem     string `json:"problem"`     // why nothing is known of it, "" if it is
	// MergeCommand gets the branch into what is checked out in the repository; "" without a branch.
	MergeCommand string `json:"merge_command"`
}

// WorktreeRemoved is a worktree that was removed.
type WorktreeRemoved struct {
	WorktreeView
	Commit string `json:"commit"` // that its branch was at, "" if it had none
}

// mergeCommand is what merges the branch of a goal's git worktree, "" if it has none.
func mergeCommand(g goal.Goal) string {
	if g.Options.Worktree == nil {
		return ""
	}
	return g.Options.Worktree.MergeCommand()
}
