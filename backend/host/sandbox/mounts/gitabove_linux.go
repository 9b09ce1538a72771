package mounts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/host/sandbox/spec"
)

// CanOutline returns why there can be no outline of a repository's work tree, nil if there can be.
func CanOutline(r *spec.Repository) error {
	config, err := os.ReadFile(filepath.Join(r.GitDir, "config"))
	if err != nil {
		return fmt.Errorf("git's configuration: %w", err)
	}
	if strings.Contains(strings.ToLower(string(config)), "sha256") {
		return errIndex
	}
	_, err = readIndex(r)
	return err
}

// bindRepository shows the outline of the work tree around the goal's folder, which is mounted over it.
func (mp *mountPlanner) bindRepository() error {
	if mp.w.Repository == nil {
		return nil
	}
	mp.bind(mp.privatePath(outlineDir), mp.w.Repository.Top, false, false)
	return mp.makeOutline()
}

// repositoryConfig returns the git configuration for the repository around the goal's folder, "" if there is none.
func (mp *mountPlanner) repositoryConfig() string {
	r := mp.w.Repository
	if r == nil {
		return ""
	}
	mp.text(spec.GitOutlinePath, outlineConfig)
	mp.text(spec.GitAttributesPath, outlineAttributes(r.Top, mp.w.Dir))
	return includeForRepository(r.OwnDir, spec.GitOutlinePath)
}

// copyGitOfRepository gives the goal copies of the files in its folder to which the configuration of the repository
// around it leads git.
func (mp *mountPlanner) copyGitOfRepository() error {
	r := mp.w.Repository
	if r == nil || mp.w.ReadOnly {
		return nil
	}
	return mp.copyFilesOfGit(mp.w.Dir, r.GitDir, gitReferencedPaths(r.Top, r.GitDir))
}
