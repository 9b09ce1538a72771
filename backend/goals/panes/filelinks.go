package panes

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/domain/pane"
	"goalpost/backend/lib/fault"
)

// maxLinkNames is how many names FindFiles looks up at once.
const maxLinkNames = 50

// FindFiles returns the absolute paths of the names that are files, and "" for the others. A name is absolute, begins
// with ~/, or is relative to the folder. A terminal printed it, so nothing but its existence becomes known.
func (*Registry) FindFiles(dir string, names []string) []string {
	found := make([]string, len(names))
	for i, name := range names[:min(len(names), maxLinkNames)] {
		path := name
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			path = filepath.Join(homeDir(), rest)
		} else if !filepath.IsAbs(name) {
			path = filepath.Join(dir, name)
		}
		if filepath.IsAbs(path) && isRegular(path) {
			found[i] = filepath.Clean(path)
		}
	}
	return found
}

// EditLine opens a file that FindFiles found in the user's editor, at a line.
func (r *Registry) EditLine(ctx context.Context, path string, line int) (pane.Info, error) {
	if !filepath.IsAbs(path) || !isRegular(path) {
		return pane.Info{}, fault.Kind(fault.NotFound, "path", path+" is no longer a file", "look for it in its folder")
	}
	return r.openEditorAt(ctx, path, line)
}

func isRegular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
