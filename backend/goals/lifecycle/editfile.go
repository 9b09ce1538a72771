package lifecycle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
)

// EditFile opens a file of a goal's folder in the user's editor.
func (fh *FolderHistory) EditFile(ctx context.Context, id goal.ID, path string) (pane.Info, error) {
	file, err := fh.goalFile(ctx, id, path)
	if err != nil {
		return pane.Info{}, err
	}
	return fh.panes.OpenEditor(ctx, file)
}

// ShowFile shows a text file of a goal's folder in a pane of the user.
func (fh *FolderHistory) ShowFile(ctx context.Context, id goal.ID, path string) (pane.Info, error) {
	file, err := fh.goalFile(ctx, id, path)
	if err != nil {
		return pane.Info{}, err
	}
	return fh.panes.OpenFile(ctx, api.ArgsOpenFile{Path: file})
}

// goalFile returns the real path of a file of a goal's folder. The agent may have replaced the file or a folder above
// it by a link, so a path that leads out of the goal's folder is refused.
func (fh *FolderHistory) goalFile(ctx context.Context, id goal.ID, path string) (string, error) {
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	rel, err := relativePaths(row.Policy.Dir, []string{path})
	if err != nil {
		return "", err
	}
	file, err := filepath.EvalSymlinks(filepath.Join(row.Policy.Dir, filepath.FromSlash(rel[0])))
	if err != nil {
		return "", fault.Kind(fault.NotFound, "path", path+" is no longer in the goal's folder",
			"list the changes again")
	}
	top, err := filepath.EvalSymlinks(row.Policy.Dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return "", fmt.Errorf("find %s: %w", path, err)
	case !policy.IsWithin(top, file):
		return "", fault.Kind(fault.Refused, "path", path+" is a link to "+file+", outside of the goal's folder",
			"open that file yourself if you want to edit it")
	case !info.Mode().IsRegular():
		return "", fault.Kind(fault.Refused, "path", path+" is not a file", "choose a file")
	}
	return file, nil
}
