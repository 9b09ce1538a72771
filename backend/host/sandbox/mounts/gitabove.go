package mounts

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"goalpost/backend/host/sandbox/autorun"
	"goalpost/backend/host/sandbox/spec"
)

// FindRepositoryAbove returns the repository that a folder without a .git is in, nil if there is none that git can use.
// The data of a linked worktree or of a submodule must refer back to it, see OutsideGitDir.
func FindRepositoryAbove(dir string) *spec.Repository {
	top := RepositoryAbove(dir)
	if top == "" {
		return nil
	}
	at := filepath.Join(top, ".git")
	r := &spec.Repository{Top: top, GitDir: at, OwnDir: at}
	if info, err := os.Lstat(at); err != nil || !info.IsDir() {
		r.GitDir, r.OwnDir = OutsideGitDir(top), readGitPath(top, at, "gitdir:")
	}
	if r.GitDir == "" || !isGitDir(r.GitDir) {
		return nil
	}
	return r
}

// hookFolders lists the folders of hooks that the configuration names.
func hookFolders(r *spec.Repository) (list []string) {
	for _, name := range []string{filepath.Join(r.GitDir, "config"), filepath.Join(r.OwnDir, "config.worktree")} {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, line := range autorun.ListConfigPrograms("", text) {
			value, isHooks := strings.CutPrefix(line, ": core.hookspath = ")
			if value = strings.Trim(value, `"`); isHooks && value != "" {
				if !filepath.IsAbs(value) {
					value = filepath.Join(r.Top, value)
				}
				list = append(list, filepath.Clean(value))
			}
		}
	}
	return list
}

// outlineConfig is git's configuration for a work tree that is partly an outline. Git compares only sizes and times. If
// the user changes the index while the goal works, git finds differences there: the filter accepts a content only if
// the index has it, so that git never stores that of an outline.
const outlineConfig = "[core]\n\ttrustctime = false\n\tcheckStat = minimal\n" +
	"\tattributesFile = " + spec.GitAttributesPath + "\n[filter \"outline\"]\n\trequired = true\n\tclean = test " +
	`\"$(git hash-object --no-filters --stdin <%f)\" = \"$(git rev-parse :%f)\" && cat` + "\n"

// outlineAttributes returns git's attributes that give the filter to what is in a work tree outside of dir.
func outlineAttributes(top, dir string) string {
	rel, err := filepath.Rel(top, dir)
	if err != nil {
		return ""
	}
	return "/** filter=outline\n" + strconv.Quote("/"+globEscapes.Replace(rel)+"/**") + " !filter\n"
}

// globEscapes escapes what has a meaning in git's patterns.
var globEscapes = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// includeForRepository returns the part of git's configuration that includes a file in the work tree with this git
// folder, and in no other.
func includeForRepository(gitDir, file string) string {
	return "[includeIf " + strconv.Quote("gitdir:"+globEscapes.Replace(gitDir)) + "]\n\tpath = " + file + "\n"
}
