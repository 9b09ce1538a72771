package panes

import (
	"context"
	"io/fs"
	"os"
	"path"
	"strings"

	"goalpost/backend/goals/api"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/ignore"
)

const (
	maxFolderFiles   = 10_000
	maxFolderVisited = 2_000 // folders that are read
)

// FolderFiles lists the files of a folder and below, the nearest first. It leaves out what .gitignore names, hidden
// folders and those that programs fill, follows no links, and stops at a limit.
func (*Registry) FolderFiles(ctx context.Context, dir string) (api.FolderFiles, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return api.FolderFiles{}, fault.Kind(fault.NotFound, "dir", dir+" cannot be read", "choose another folder")
	}
	defer func() { _ = root.Close() }()
	out := api.FolderFiles{Dir: dir, Files: []string{}}
	rules := ignore.Rules{}
	waiting := []string{"."}
	for n := 0; len(waiting) > 0; n++ {
		if n == maxFolderVisited || len(out.Files) >= maxFolderFiles || ctx.Err() != nil {
			out.Partial = true
			break
		}
		var folders []string
		out.Files, folders = readFolder(root.FS(), waiting[0], rules, out.Files)
		waiting = append(waiting[1:], folders...)
	}
	return out, nil
}

// readFolder appends the files of one folder to files, and returns the folders in it that are to be read.
func readFolder(top fs.FS, dir string, rules ignore.Rules, files []string) (all, folders []string) {
	entries, err := fs.ReadDir(top, dir)
	if err != nil {
		return files, nil // removed or unreadable; the others are still listed
	}
	if b, err := fs.ReadFile(top, path.Join(dir, ".gitignore")); err == nil {
		at := dir
		if dir == "." {
			at = ""
		}
		rules[at] = ignore.ParseRules(ignore.Lines(b))
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case rules.Ignored(name, e.IsDir()):
		case e.IsDir() && !strings.HasPrefix(e.Name(), "."):
			folders = append(folders, name)
		case e.Type().IsRegular():
			files = append(files, name)
		}
	}
	return files, folders
}
