package goalsandbox

import (
	"os"
	"path/filepath"
	"slices"

	"goalpost/backend/domain/policy"
	"goalpost/backend/host/sandbox/mounts"
	"goalpost/backend/host/sandbox/spec"
)

// gitAccess is what the goal's programs get for git in addition to the goal's folder. The hooks and the configuration
// in dir are copies, as in the goal's own repositories.
type gitAccess struct {
	dir        string           // git's data outside of the goal's folder, "" if programs need none
	repository *spec.Repository // around the goal's folder, nil for none
}

// findGit returns what git needs outside of the goal's folder.
func (f *Factory) findGit(p policy.Policy) (g gitAccess) {
	g.dir = mounts.OutsideGitDir(p.Dir)
	if r := mounts.FindRepositoryAbove(p.Dir); r != nil && !canSee(p, r.Top) &&
		f.Access.ValidateForeignPath(r.Top) == nil && mounts.CanOutline(r) == nil {
		g = gitAccess{dir: r.GitDir, repository: r}
	}
	if g.dir == "" || canSee(p, g.dir) {
		g.dir = ""
	} else if f.Access.ValidateForeignPath(g.dir) != nil {
		return gitAccess{}
	}
	return g
}

// grantGit adds what git needs to the spec of a sandbox.
func (g gitAccess) grantGit(s *spec.Spec) {
	s.Repository = g.repository
	switch {
	case g.dir == "":
	case s.ReadOnly, len(s.Work) > 0:
		s.Read = append(slices.Clone(s.Read), g.dir)
	default:
		s.Write = append(slices.Clone(s.Write), g.dir)
	}
}

// describe returns what git can do in the goal's folder, if that is less than usual; "" otherwise. missing is true if
// it cannot work there.
func (g gitAccess) describe(p policy.Policy) (text string, missing bool) {
	top := mounts.RepositoryAbove(p.Dir)
	switch {
	case g.repository != nil:
		return "Your folder is a part of the repository " + top + ", and git works in it. Of the other files in the " +
			"repository your programs see only an outline without contents, and they cannot change them: a checkout or a " +
			"merge that has to change one of them fails. git show HEAD:PATH prints one", false
	case top != "" && !canSee(p, filepath.Join(top, ".git")):
		return "Git does not work in your folder, because it is inside the repository " + top + ", whose git data this " +
			"goal cannot see. If you need git, ask the user for a goal with --allow-read " + top + " --allow-write " +
			filepath.Join(top, ".git"), true
	case top != "":
		return "", false
	}
	info, err := os.Lstat(filepath.Join(p.Dir, ".git"))
	if err != nil || !info.Mode().IsRegular() || mounts.OutsideGitDir(p.Dir) != "" {
		return "", false
	}
	return "Git does not work in your folder: its .git file leads to git data outside of it that does not lead back " +
		"(git worktree repair mends that), so the user has to grant it with --allow-write", true
}

// canSee reports whether the user granted a folder or one above it.
func canSee(p policy.Policy, dir string) bool {
	return slices.ContainsFunc(slices.Concat([]string{p.Dir}, p.AllowRead, p.AllowWrite), func(granted string) bool {
		return spec.IsBelow(dir, granted)
	})
}
