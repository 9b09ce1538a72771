package api

import (
	"context"

	"goalpost/backend/domain/goal"
)

// WorktreeOffers says whether goals can work in new git worktrees.
type WorktreeOffers interface {
	WorktreeOffer(ctx context.Context, dir, objective string) (WorktreeOffer, error)
}

// Worktrees is the interface of WorktreeAPI to the program.
type Worktrees interface {
	Worktrees(ctx context.Context) ([]WorktreeView, error)
	RemoveWorktree(ctx context.Context, which string, force bool) (WorktreeView, string, error)
}

// WorktreeAPI proposes, lists and removes the git worktrees of goals.
type WorktreeAPI struct {
	offers    WorktreeOffers
	worktrees Worktrees
	apiBase
}

// NewWorktreeAPI makes the API; ctx is the program's life.
func NewWorktreeAPI(ctx context.Context, o WorktreeOffers, w Worktrees) *WorktreeAPI {
	return &WorktreeAPI{offers: o, worktrees: w, apiBase: apiBase{ctx}}
}

// Offer reports whether a goal can work in a new git worktree of a folder's repository, and how.
func (w *WorktreeAPI) Offer(dir, objective string) (out WorktreeOffer, err error) {
	defer w.recoverProblem(&err)
	return w.offers.WorktreeOffer(w.ctx, dir, objective)
}

// List lists the git worktrees of goals, including deleted goals.
func (w *WorktreeAPI) List() (out []WorktreeView, err error) {
	defer w.recoverProblem(&err)
	return w.worktrees.Worktrees(w.ctx)
}

// Remove removes the git worktree of a goal and its branch. It refuses while the goal can still run, and, without
// force, if the worktree has work that no other branch has. which is the goal's id, or the folder.
func (w *WorktreeAPI) Remove(which string, force bool) (out WorktreeRemoval, err error) {
	defer w.recoverProblem(&err)
	removed, commit, err := w.worktrees.RemoveWorktree(w.ctx, which, force)
	return WorktreeRemoval{WorktreeView: removed, Commit: commit}, err
}

// WorktreeOffer describes the git worktree that a goal would get.
type WorktreeOffer struct {
	Unavailable string `json:"unavailable"` // why not, "" if it can
	Repository  string `json:"repository"`  // the top of the user's work tree
	From        string `json:"from"`        // the branch that is checked out, "" if there is none
	Commit      string `json:"commit"`      // at which the new branch would start
	Branch      string `json:"branch"`      // the new branch
	Uncommitted int    `json:"uncommitted"` // files with changes that would not be in the worktree
}

// WorktreeView is a worktree of a goal. The goal may be deleted.
type WorktreeView struct {
	Path        string `json:"path"`
	Repository  string `json:"repository"`
	Branch      string `json:"branch"`  // "" if none is checked out
	GoalID      string `json:"goal_id"` // "" if the goal was deleted
	Objective   string `json:"objective"`
	Uncommitted int    `json:"uncommitted"` // files
	IsMerged    bool   `json:"merged"`      // another branch has its commits
	Problem     string `json:"problem"`     // why its state is unknown, "" if it is known
	// MergeCommand merges the branch into the one that is checked out in the repository; "" without a branch.
	MergeCommand string `json:"merge_command"`
}

// WorktreeRemoval is the result of removing a worktree.
type WorktreeRemoval struct {
	WorktreeView
	Commit string `json:"commit"` // the last one of its branch, "" if it had none
}

// mergeCommand returns the command that merges the branch of a goal's git worktree, "" without a worktree.
func mergeCommand(g goal.Goal) string {
	if g.Origin.Worktree == nil {
		return ""
	}
	return g.Origin.Worktree.MergeCommand()
}
