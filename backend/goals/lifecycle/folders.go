package lifecycle

import (
	"context"
	"os"
	"slices"

	"goalpost/backend/goals/access"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"

	"goalpost/backend/domain/policy"
)

const (
	maxFolders       = 50
	maxRecentFolders = 6
	recentGoals      = 100 // of which the folders are read
)

// Folders offers folders for a goal while the user types one.
func (it *Intake) Folders(ctx context.Context, typed string) (out api.FolderOffer, err error) {
	out.Folders = access.ListFolders(typed, maxFolders)
	if typed != "" {
		if out.Dir, err = it.access.ValidateExistingDir(typed); err != nil {
			problem := fault.Of(err)
			out.Problem, out.IsMissing = problem.Message, problem.Code == fault.FolderMissing
		}
	}
	out.Recent, err = it.recentFolders(ctx)
	return out, err
}

// recentFolders returns the folders of the newest goals, without those that were made for a goal.
func (it *Intake) recentFolders(ctx context.Context) ([]string, error) {
	list := []string{}
	rows, _, err := it.store.Goals.List(ctx, store.Filter{Limit: recentGoals})
	for _, row := range rows {
		dir := row.Dir
		if row.Origin.Worktree != nil {
			dir = row.Origin.Worktree.Folder
		}
		if len(list) == maxRecentFolders || slices.Contains(list, dir) || policy.IsWithin(it.cfg.Work(), dir) {
			continue
		}
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			list = append(list, dir)
		}
	}
	return list, err
}

// MakeFolder makes a folder for a goal and returns its path.
func (it *Intake) MakeFolder(path string) (string, error) { return it.access.MakeDir(path) }
