package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/host/sandbox/autorun"
	"goalpost/backend/host/sandbox/spec"
	"goalpost/backend/host/sandbox/wire"
	"goalpost/backend/lib/shell"
)

// pinParents makes a mount of each folder between a goal's folder and a protected path below it, so that the goal
// cannot rename the folder and put another in its place.
func (mp *mountPlanner) pinParents(dir, path string) {
	rel, err := filepath.Rel(dir, filepath.Dir(path))
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return
	}
	at := dir
	for _, name := range strings.Split(rel, "/") {
		at = filepath.Join(at, name)
		there := slices.IndexFunc(mp.out.Mounts, func(m wire.Mount) bool { return string(m.Target) == at })
		if there >= 0 && !mp.out.Mounts[there].AgentOnly {
			continue
		}
		mp.bind(at, at, true, mp.checksWrite())
		pin := &mp.out.Mounts[len(mp.out.Mounts)-1]
		pin.Between, pin.CheckOnly = true, there >= 0 || !mp.agentWrites(at)
	}
}

// copyGitReferenced gives the goal copies of the files in its folders that the configuration of a repository in dir
// refers to: a hooks folder, included configuration, scripts of filters and aliases.
func (mp *mountPlanner) copyGitReferenced(dir, repo string) error {
	return mp.copyFilesOfGit(dir, repo, gitReferencedPaths(filepath.Dir(repo), repo))
}

func (mp *mountPlanner) copyFilesOfGit(dir, repo string, paths []string) error {
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			mp.pinLink(path, real)
			path = real
		}
		if !spec.IsBelow(path, dir) || path == dir || spec.IsBelow(path, repo) || spec.IsBelow(repo, path) {
			continue
		}
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		dest := mp.privatePath("git", strings.ReplaceAll(path, "/", "%"))
		if !info.IsDir() {
			dest = mp.privatePath("git", strings.ReplaceAll(filepath.Dir(path), "/", "%"), filepath.Base(path))
		}
		if slices.ContainsFunc(mp.out.Mounts, func(m wire.Mount) bool { return string(m.Source) == dest }) {
			continue
		}
		if _, err := os.Lstat(dest); os.IsNotExist(err) {
			if err := mp.gitCopy(path, dest, info); err != nil {
				return err
			}
		}
		mp.pinParents(dir, path)
		mp.bind(dest, path, mp.agentWrites(path), mp.checksWrite())
	}
	return nil
}

// pinLink keeps a symbolic link in place; its target is protected separately.
func (mp *mountPlanner) pinLink(path, real string) {
	if info, err := os.Lstat(path); err != nil || path == real || info.Mode()&os.ModeSymlink == 0 {
		return
	}
	mp.bind(path, path, false, false)
	m := &mp.out.Mounts[len(mp.out.Mounts)-1]
	m.Itself, m.Optional = true, true
}

// GitControlledPaths lists, as absolute paths, the files in a goal's folders outside .git that control git; neither
// the goal's programs nor its tools may write them. cut has a line for each folder that was too large to search
// completely: the goal has no copies in the unsearched part.
func GitControlledPaths(folders ...string) (list, cut []string) {
	for _, dir := range folders {
		repos, bound := findRepositories(dir)
		if bound != "" {
			cut = append(cut, fmt.Sprintf("%s was searched for repositories up to %s: of one that comes later, hooks and "+
				"configuration are not copies, and the goal can change the real ones", dir, bound))
		}
		for _, repo := range repos {
			list = append(list, controlledBelow(dir, gitReferencedPaths(filepath.Dir(repo), repo))...)
		}
	}
	return list, cut
}

// GitControlledByRepository lists the same for the repository around a goal's folder.
func GitControlledByRepository(dir string, r *spec.Repository) []string {
	return controlledBelow(dir, gitReferencedPaths(r.Top, r.GitDir))
}

// controlledBelow lists those of the paths that lead below dir, and where they lead.
func controlledBelow(dir string, paths []string) (list []string) {
	for _, path := range paths {
		if real, err := filepath.EvalSymlinks(path); err == nil && real != dir && spec.IsBelow(real, dir) {
			list = append(list, path, real)
		}
	}
	return list
}

// gitReferencedPaths returns the existing paths that the configuration of a repository makes git run or read in a work
// tree.
func gitReferencedPaths(tree, repo string) (list []string) {
	hooks := filepath.Join(repo, "hooks")
	if real, err := filepath.EvalSymlinks(hooks); err == nil && real != hooks {
		list = append(list, hooks)
	}
	if hasHooks(hooks) { // hook managers read these
		for _, name := range []string{
			".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml", ".lefthook.yml",
			".lefthook.yaml",
		} {
			list = append(list, filepath.Join(tree, name))
		}
	}
	for _, name := range []string{"config", "config.worktree"} {
		text, err := os.ReadFile(filepath.Join(repo, name))
		if err != nil {
			continue
		}
		for _, line := range autorun.ListConfigPrograms("", text) {
			key, value, _ := strings.Cut(strings.TrimPrefix(line, ": "), " = ")
			list = append(list, resolveGitPath(tree, repo, key, strings.Trim(value, `"`))...)
		}
	}
	return slices.DeleteFunc(list, func(path string) bool { _, err := os.Stat(path); return err != nil })
}

func resolveGitPath(tree, repo, key, value string) []string {
	from := func(base, path string) string {
		if !filepath.IsAbs(path) {
			path = filepath.Join(base, path)
		}
		return filepath.Clean(path)
	}
	switch {
	case key == "core.hookspath":
		dir := from(tree, value)
		if filepath.Base(dir) == "_" { // husky's wrappers, which call the hooks above
			return []string{filepath.Dir(dir), dir}
		}
		return []string{dir}
	case key == "include.path", strings.HasPrefix(key, "includeif."), key == "core.attributesfile":
		return []string{from(repo, value)}
	}
	var list []string
	for _, word := range commandWords(strings.TrimPrefix(value, "!")) {
		path := from(tree, word)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			list = append(list, path)
		}
	}
	return list
}

// commandWords lists the words of a command line, and the parts of those that are command lines themselves.
func commandWords(line string) []string {
	words, err := shell.Words(line)
	if err != nil {
		return strings.Fields(line) // a shell refuses the line, but another program may accept it
	}
	for _, word := range slices.Clone(words) {
		if parts := strings.Fields(word); len(parts) > 1 { // sh -c 'hooks/check.sh now'
			words = append(words, parts...)
		}
	}
	return words
}

// hasHooks reports whether a folder contains hooks that git runs.
func hasHooks(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".sample") })
}
