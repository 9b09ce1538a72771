package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/panes"
	"goalpost/backend/goals/session"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/secret"
	"goalpost/backend/storage/snapshot"
	"goalpost/backend/storage/store"
)

// FolderHistory shows the changes of goals in their folders, and undoes and commits them.
type FolderHistory struct {
	*Runs
	state string // Goalpost's data folder
	mask  *secret.Mask
	// programs starts git, for the user and outside the sandbox.
	programs process.Launcher
	panes    *panes.Registry
}

// describeNoSnapshot explains why a goal has no snapshot to compare with.
func describeNoSnapshot(row store.GoalRow) string {
	switch {
	case !session.MayChangeFolder(row.Policy):
		return "This goal may only read, and no change was approved."
	case row.StartedAt.IsZero():
		return "The goal has not started yet."
	case row.Status == goal.Running:
		return "No snapshot of the folder is complete yet. If this does not change, the goal's warnings say why."
	}
	return "No snapshot of the folder was taken before the goal began. The goal's warnings say why."
}

// open reads the snapshots of a goal. If there are none, a is nil, and unavailable says why.
func (fh *FolderHistory) open(row store.GoalRow) (a *snapshot.Archive, unavailable string, err error) {
	a, err = snapshot.Read(session.SnapshotOptions(row.Goal, fh.state, fh.store.GoalDir(row.ID)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, describeNoSnapshot(row), nil
	}
	return a, "", err
}

// compare compares the folder with its state at the start, below the given paths, or everywhere without any.
func (fh *FolderHistory) compare(
	ctx context.Context, row store.GoalRow, a *snapshot.Archive, paths []string,
) (*snapshot.Comparison, error) {
	c, err := a.Compare(ctx, 0)
	if err != nil {
		return nil, fault.New(fault.Conflict, "the goal's folder cannot be compared: "+err.Error(),
			"put the folder "+row.Policy.Dir+" back if it is gone, then try again")
	}
	relPaths, err := relativePaths(row.Policy.Dir, paths)
	if err != nil {
		return nil, err
	}
	c.Select(relPaths)
	return c, nil
}

// relativePaths makes paths relative to a goal's folder.
func relativePaths(dir string, paths []string) ([]string, error) {
	var list []string
	for _, path := range paths {
		rel := path
		if filepath.IsAbs(path) {
			var err error
			if rel, err = filepath.Rel(dir, path); err != nil {
				rel = ".."
			}
		}
		if !filepath.IsLocal(filepath.FromSlash(rel)) {
			return nil, fault.Invalid("paths", fmt.Sprintf("%s is not in the goal's folder", path),
				"give paths relative to "+dir)
		}
		list = append(list, filepath.ToSlash(filepath.Clean(rel)))
	}
	return list, nil
}

// isWorking reports whether a run of the goal may change the folder now.
func (fh *FolderHistory) isWorking(row store.GoalRow) (bool, error) {
	if row.Status != goal.Running {
		return false, nil
	}
	return fh.store.Locks.IsLocked(row.ID)
}

func changeOf(c snapshot.Change) string {
	switch {
	case c.Before == nil:
		return api.FileNew
	case c.After == nil:
		return api.FileDeleted
	}
	return api.FileChanged
}
