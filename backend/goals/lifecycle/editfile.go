package lifecycle

import (
	"cmp"
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

// maxFoundFiles is how many names FindFiles looks up at once.
const maxFoundFiles = 50

// FindFiles returns the paths of those names that are files of a goal's folder, and "" for the others. A name that is
// not absolute begins in dir. A terminal of the goal printed both, so nothing outside of the folder becomes known.
func (fh *FolderHistory) FindFiles(ctx context.Context, id goal.ID, dir string, names []string) ([]string, error) {
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("find files: %w", err)
	}
	found := make([]string, len(names))
	for i, name := range names[:min(len(names), maxFoundFiles)] {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmp.Or(dir, row.Policy.Dir), name)
		}
		if _, err := fileIn(row.Policy.Dir, path); err == nil {
			found[i] = path
		}
	}
	return found, nil
}

// goalFile returns the real path of a file of a goal's folder.
func (fh *FolderHistory) goalFile(ctx context.Context, id goal.ID, path string) (string, error) {
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", path, err)
	}
	return fileIn(row.Policy.Dir, path)
}

// fileIn returns the real path of a file of a goal's folder. The agent may have replaced the file or a folder above it
// by a link, so a path that leads out of the folder is refused.
func fileIn(dir, path string) (string, error) {
	rel, err := relativePaths(dir, []string{path})
	if err != nil {
		return "", err
	}
	file, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(rel[0])))
	if err != nil {
		return "", fault.Kind(fault.NotFound, "path", path+" is no longer in the goal's folder",
			"list the changes again")
	}
	top, err := filepath.EvalSymlinks(dir)
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
