package goalsandbox

import (
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
)

// outsideGitDir returns the folder with git's data that the goal's programs get in addition to the goal's folder; "" if
// they need none. The hooks and the configuration in it are copies, as in the goal's own repositories.
func (f *Factory) outsideGitDir(p policy.Policy) string {
	dir := mounts.OutsideGitDir(p.Dir)
	if dir == "" || canSee(p, dir) || f.Access.ValidateForeignPath(dir) != nil {
		return ""
	}
	return dir
}

// describeMissingGit returns why git does not work in the goal's folder, "" if it can.
func (f *Factory) describeMissingGit(p policy.Policy) string {
	switch top := mounts.RepositoryAbove(p.Dir); {
	case top != "" && !canSee(p, filepath.Join(top, ".git")):
		return "Git does not work in your folder, because it is inside the repository " + top + ", whose git data this " +
			"goal cannot see. If you need git, ask the user for a goal with --allow-read " + top + " --allow-write " +
			filepath.Join(top, ".git")
	case top != "":
		return ""
	}
	info, err := os.Lstat(filepath.Join(p.Dir, ".git"))
	if err != nil || !info.Mode().IsRegular() || mounts.OutsideGitDir(p.Dir) != "" {
		return ""
	}
	return "Git does not work in your folder: its .git file leads to git data outside of it that does not lead back " +
		"(git worktree repair mends that), so the user has to grant it with --allow-write"
}

// canSee reports whether the user granted a folder or one above it.
func canSee(p policy.Policy, dir string) bool {
	return slices.ContainsFunc(slices.Concat([]string{p.Dir}, p.AllowRead, p.AllowWrite), func(granted string) bool {
		return spec.IsBelow(dir, granted)
	})
}
