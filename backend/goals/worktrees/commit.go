package worktrees

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/gitrepo"
)

const (
	maxFileBytes  = 100 << 20 // of one file in a commit
	commitTimeout = time.Minute

	// defaultAuthor is the author if the user has set no name in git, because there may be no user to ask.
	defaultAuthor = "Goalpost <goalpost@localhost>"
)

// Commit commits all changes in a worktree to its branch. It returns the commit, "" if nothing has changed, and the
// skipped files with the reasons. The goal's programs must not run.
func (w *Worktrees) Commit(ctx context.Context, worktree goal.Worktree, message string) (
	commit string, files int, skipped []string, err error,
) {
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	repo, err := w.Open(ctx, worktree.Dir)
	if err != nil {
		return "", 0, nil, err
	}
	if common, err := repo.CommonDir(ctx); err != nil || common != worktree.CommonDir ||
		repo.Branch() != worktree.Branch {
		return "", 0, nil, errors.Join(fault.Kind(fault.Conflict, "",
			worktree.Dir+" no longer has branch "+worktree.Branch+" of "+worktree.Repository+" checked out",
			"check out the branch again, or commit yourself"), err)
	}
	paths, err := repo.Uncommitted(ctx)
	if err != nil || len(paths) == 0 {
		return "", 0, nil, err
	}
	filtered, err := repo.Filtered(ctx, paths)
	if err != nil {
		return "", 0, nil, err
	}
	var list []gitrepo.File
	for _, path := range paths {
		if filter := filtered[path]; filter != "" {
			skipped = append(skipped, fmt.Sprintf("%q (git would run the filter %s)", path, filter))
			continue
		}
		f, ok, err := repo.ReadFile(path, maxFileBytes)
		switch {
		case err != nil:
			return "", 0, nil, err
		case !ok:
			skipped = append(skipped, fmt.Sprintf("%q (a folder with its own repository, or too large)", path))
		default:
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return "", 0, skipped, nil
	}
	repo.DefaultAuthor = defaultAuthor
	commit, err = repo.Commit(ctx, worktree.Branch, strings.TrimSpace(message)+"\n", list)
	return commit, len(list), skipped, err
}
