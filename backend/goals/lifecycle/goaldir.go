package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fault"
)

// setGoalDir sets a goal's folder: the given one, a new one, or a new git worktree. isNew reports whether it is new.
func (it *Intake) setGoalDir(ctx context.Context, g *goal.Goal) (isNew bool, err error) {
	if g.NewWorktree && g.Dir == "" {
		return false, fault.Invalid("new_worktree", "a worktree needs a folder in a git repository",
			"choose the folder").OnCommandLine("name it with --dir")
	}
	dir, isNew, err := it.resolveGoalDir(g.Dir, g.Objective)
	if err != nil || !g.NewWorktree {
		g.Policy.Dir = dir
		return isNew, err
	}
	worktree, dir, err := it.worktrees.Create(ctx, dir, g.Objective, g.ID)
	if err != nil {
		return false, err
	}
	g.Origin.Worktree, g.Policy.Dir = &worktree, dir
	if _, err := it.access.ValidateExistingDir(dir); err != nil {
		return false, errors.Join(err, it.removeGoalDir(ctx, *g))
	}
	return true, nil
}

// removeGoalDir removes the folder that was made for a goal that could not start.
func (it *Intake) removeGoalDir(ctx context.Context, g goal.Goal) error {
	if worktree := g.Origin.Worktree; worktree != nil {
		return it.worktrees.Discard(ctx, *worktree)
	}
	if err := os.RemoveAll(g.Policy.Dir); err != nil {
		return fmt.Errorf("remove the goal's folder: %w", err)
	}
	return nil
}

// validateWorktreeAccess sets what a goal may use on this machine. A goal in a git worktree reads the repository's own
// folder, so that git works there, and never writes it.
func (it *Intake) validateWorktreeAccess(ctx context.Context, g *goal.Goal) error {
	if err := it.access.ValidateGrants(&g.Policy); err != nil {
		return err
	}
	worktree := g.Origin.Worktree
	if worktree == nil || worktree.Dir != g.Policy.Dir { // below its top, no program finds .git
		return nil
	}
	for _, dir := range g.Policy.AllowWrite {
		if policy.FoldersOverlap(worktree.CommonDir, dir) {
			return fault.Invalid("allow_write", dir+" contains the repository of the worktree",
				"leave it out: the goal changes its own work tree, and the host commits")
		}
	}
	if g.Policy.CheckDir != "" {
		for _, top := range []string{worktree.Dir, worktree.Repository} {
			if err := it.refuseTrackedCheckDir(ctx, top, g.Policy.CheckDir); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(g.Policy.AllowRead, worktree.CommonDir) {
		g.Policy.AllowRead = append(g.Policy.AllowRead, worktree.CommonDir)
	}
	return nil
}

// refuseTrackedCheckDir refuses a check folder whose files the agent could read with git show.
func (it *Intake) refuseTrackedCheckDir(ctx context.Context, top, dir string) error {
	rel, err := filepath.Rel(top, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return nil //nolint:nilerr // it is outside of the work tree
	}
	repo, err := it.worktrees.Open(ctx, top)
	if err != nil {
		return err
	}
	tracked, err := repo.Tracks(ctx, rel)
	if err == nil && tracked {
		err = fault.Invalid("check_dir", dir+" is tracked by git, so the agent could read it with git show",
			"move it out of the repository and give that path")
	}
	return err
}
