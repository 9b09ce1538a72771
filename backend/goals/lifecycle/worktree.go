package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// startEvents returns the first events of a goal's journal.
func (it *Intake) startEvents(ctx context.Context, g goal.Goal) []event.Body {
	events := []event.Body{&event.Started{}}
	worktree := g.Origin.Worktree
	if worktree == nil {
		return events
	}
	text := fmt.Sprintf("the goal works in the git worktree %s, on the new branch %s, which starts at %.12s",
		worktree.Dir, worktree.Branch, worktree.Base)
	if worktree.From != "" {
		text += " of " + worktree.From
	}
	if n, err := it.worktrees.Uncommitted(ctx, worktree.Repository); err == nil && n > 0 {
		text += fmt.Sprintf("; without the uncommitted changes of %s in %s", goal.FormatCount(n, "file"), worktree.Repository)
	}
	return append(events, &event.Warning{What: "worktree", Text: text})
}

// WorktreeOffer reports whether a goal can work in a new git worktree of a folder's repository, and how.
func (it *Intake) WorktreeOffer(ctx context.Context, dir, objective string) (out api.WorktreeOffer, err error) {
	if dir, err = it.access.ValidateExistingDir(dir); err != nil {
		return out, err
	}
	repo, err := it.worktrees.Open(ctx, dir)
	var refusal *fault.Error
	if errors.As(err, &refusal) && refusal.Code == fault.Refused {
		out.Unavailable = refusal.Message
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Repository, out.From, out.Commit = repo.Top(), repo.Branch(), repo.Head()
	if out.Commit == "" {
		out.Unavailable = "the repository has no commit yet"
		return out, nil
	}
	out.Branch = worktrees.BranchName(ctx, repo, objective, "")
	paths, err := repo.Uncommitted(ctx)
	out.Uncommitted = len(paths)
	return out, err
}

// Worktrees lists the git worktrees of goals.
func (s *Service) Worktrees(ctx context.Context) ([]api.WorktreeView, error) {
	states, err := s.Intake.worktrees.List(ctx)
	if err != nil {
		return nil, err
	}
	owners, err := s.worktreeOwners(ctx)
	if err != nil {
		return nil, err
	}
	list := []api.WorktreeView{}
	for _, state := range states {
		list = append(list, viewOfWorktree(state, owners[state.Path]))
	}
	return list, nil
}

func viewOfWorktree(s worktrees.State, owner store.GoalRow) api.WorktreeView {
	merge := ""
	if s.Branch != "" && s.Repository != "" {
		merge = goal.Worktree{Repository: s.Repository, Branch: s.Branch}.MergeCommand()
	}
	return api.WorktreeView{
		Path:        s.Path,
		Repository:  s.Repository,
		Branch:      s.Branch,
		GoalID:      string(owner.ID),
		Objective:   owner.Objective,
		Uncommitted: s.Uncommitted,
		IsMerged:    s.IsMerged,
		Problem:     s.Problem,

		MergeCommand: merge,
	}
}

// worktreeOwners returns the goals with a worktree, by the folder of the worktree.
func (s *Service) worktreeOwners(ctx context.Context) (map[string]store.GoalRow, error) {
	const all = 1 << 20
	rows, _, err := s.store.Goals.List(ctx, store.Filter{Limit: all})
	if err != nil {
		return nil, fmt.Errorf("worktrees: %w", err)
	}
	owners := map[string]store.GoalRow{}
	for _, row := range rows {
		if worktree := row.Origin.Worktree; worktree != nil {
			owners[worktree.Dir] = row
		}
	}
	return owners, nil
}

// RemoveWorktree removes the git worktree of a goal and its branch. which is a part of the goal's id, or the folder or
// its name. It refuses while the goal can still run, and, without force, if the worktree has work that no other branch
// has. commit is the last one of the branch.
func (s *Service) RemoveWorktree(ctx context.Context, which string, force bool) (
	view api.WorktreeView, commit string, err error,
) {
	owners, err := s.worktreeOwners(ctx)
	if err != nil {
		return view, "", err
	}
	dir, err := s.findWorktree(ctx, which)
	if err != nil {
		return view, "", err
	}
	owner := owners[dir]
	if owner.ID != "" {
		isActive, err := s.Runs.isActive(owner)
		switch {
		case err != nil:
			return view, "", err
		case isActive:
			return view, "", fault.Kind(fault.Conflict, "",
				"the goal "+owner.ID.Short()+" has not ended and needs its worktree",
				"abort it first: goalctl abort "+owner.ID.Short())
		}
		if err := s.sessions.CloseGoal(ctx, owner.ID); err != nil {
			return view, "", err
		}
	}
	state, commit, err := s.Intake.worktrees.Remove(ctx, dir, force)
	return viewOfWorktree(state, owner), commit, err
}

// findWorktree returns the folder of a worktree.
func (s *Service) findWorktree(ctx context.Context, which string) (string, error) {
	folder, err := filepath.EvalSymlinks(s.Intake.worktrees.Folder())
	if err == nil {
		dir := filepath.Join(folder, filepath.Base(which))
		isNamed := filepath.Base(which) == which || filepath.Clean(which) == dir
		if info, err := os.Stat(dir); err == nil && info.IsDir() && isNamed {
			return dir, nil
		}
	}
	row, err := s.store.Goals.Find(ctx, which)
	if err != nil {
		return "", fmt.Errorf("worktree: %w", err)
	}
	if row.Origin.Worktree == nil {
		return "", fault.Kind(fault.NotFound, "", "the goal "+row.ID.Short()+" has no worktree",
			"goalctl worktree list shows them")
	}
	return row.Origin.Worktree.Dir, nil
}

// removeFinishedWorktree removes the git worktree of a deleted goal, unless the worktree has work that no other branch
// has. Such a worktree stays with its branch, and worktree list shows it. It also removes the copy in which a runner of
// a race worked.
func (s *Service) removeFinishedWorktree(ctx context.Context, row store.GoalRow) error {
	worktree := row.Origin.Worktree
	if worktree == nil {
		if row.Origin.Race != nil {
			return removeCopy(row.Origin.Race.Copy)
		}
		return nil
	}
	if _, err := os.Stat(worktree.Dir); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	state := s.Intake.worktrees.Inspect(ctx, worktree.Dir)
	if state.HasWork() {
		s.Runs.log.Info("the worktree of a deleted goal stays, because it has work that no other branch has", "goal", row.ID,
			"folder", worktree.Dir)
		return nil
	}
	_, _, err := s.Intake.worktrees.Remove(ctx, worktree.Dir, false)
	return err
}
