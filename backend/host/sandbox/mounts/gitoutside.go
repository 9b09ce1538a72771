package mounts

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/host/sandbox/spec"
)

// OutsideGitDir returns the folder with git's data of a linked worktree or of a submodule, if that is outside of it; ""
// otherwise. It must refer back to the folder, as git makes it: a .git file that a program wrote must not open another
// repository to the next goal. dir has no links in its path.
func OutsideGitDir(dir string) string {
	own := readGitPath(dir, filepath.Join(dir, ".git"), "gitdir:")
	if own == "" {
		return ""
	}
	common := own
	if path := readGitPath(own, filepath.Join(own, "commondir"), ""); path != "" { // of a linked worktree
		back := readGitPath(own, filepath.Join(own, "gitdir"), "")
		if back != filepath.Join(dir, ".git") || filepath.Dir(own) != filepath.Join(path, "worktrees") {
			return ""
		}
		common = path
	} else if !belongsTo(own, dir) {
		return ""
	}
	if !isGitDir(common) || spec.IsBelow(common, dir) {
		return ""
	}
	return common
}

// RepositoryAbove returns the top of the repository that a folder without a .git is in, "" if there is none.
func RepositoryAbove(dir string) string {
	for at := dir; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			if at == dir {
				return ""
			}
			return at
		}
	}
	return ""
}

// readGitPath reads a file of git that contains a path, and returns the path without links, "" if there is none.
func readGitPath(base, file, prefix string) string {
	const maxPath = 16 << 10
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() || info.Size() > maxPath {
		return ""
	}
	content, err := os.ReadFile(file)
	path, isPath := strings.CutPrefix(strings.TrimSpace(string(content)), prefix)
	if path = strings.TrimSpace(path); err != nil || !isPath || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// belongsTo reports whether the configuration of a git folder names the work tree.
func belongsTo(gitDir, tree string) bool {
	content, err := os.ReadFile(filepath.Join(gitDir, "config"))
	if err != nil {
		return false
	}
	return slices.ContainsFunc(strings.Split(string(content), "\n"), func(line string) bool {
		key, value, _ := strings.Cut(line, "=")
		path := strings.Trim(strings.TrimSpace(value), `"`)
		if !filepath.IsAbs(path) {
			path = filepath.Join(gitDir, path)
		}
		return strings.TrimSpace(key) == "worktree" && filepath.Clean(path) == tree
	})
}

// isGitDir reports whether a folder has the data of a repository.
func isGitDir(dir string) bool {
	return !slices.ContainsFunc([]string{"HEAD", "objects", "refs"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err != nil
	})
}
