package mounts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"goalpost/backend/host/sandbox/autorun"
	"goalpost/backend/host/sandbox/spec"
)

// gitCopiedPaths are the parts of a repository that can make the user's git run programs. The goal gets copies of
// them.
var gitCopiedPaths = []string{"hooks", "config", "config.worktree", "commondir", "gitdir"}

// Limits of the search for repositories in a goal's folders.
const (
	gitMaxDepth        = 5
	gitMaxNames        = 20_000
	gitMaxRepositories = 100
	gitMaxFileBytes    = 16 << 20 // bytes of one file
)

// copyGitDirs gives the goal copies of the git configuration and hooks in the repositories that exist when its
// programs start. Each .git folder becomes a mount, so that the goal cannot rename it and create another. If the goal
// creates a repository later, that is its own, and is reported at the goal's end.
func (mp *mountPlanner) copyGitDirs() error {
	folders := mp.w.Write
	if !mp.w.ReadOnly {
		folders = append([]string{mp.w.Dir}, folders...)
	}
	return errors.Join(mp.gitBelow(folders...), mp.copyGitOfRepository())
}

func (mp *mountPlanner) gitBelow(folders ...string) error {
	for _, dir := range folders {
		repos, _ := findRepositories(dir) // GitControlledPaths reports truncated searches
		for _, repo := range repos {
			mp.pinParents(dir, repo)
			if err := mp.gitDir(repo); err != nil {
				return err
			}
			if real, err := filepath.EvalSymlinks(repo); err == nil && real != repo && spec.IsBelow(real, dir) && real != dir {
				mp.pinParents(dir, real)
				if err := mp.gitDir(real); err != nil {
					return err
				}
			}
			if err := mp.copyGitReferenced(dir, repo); err != nil {
				return err
			}
		}
	}
	return nil
}

// findRepositories returns the git folders below dir, including those of submodules, and the .git files of worktrees.
// cut names the bound that ended the search; "" if the whole folder was searched.
func findRepositories(dir string) (list []string, cut string) {
	entries := 0
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		entries++
		rel, _ := filepath.Rel(dir, path)
		switch {
		case entries > gitMaxNames:
			cut = fmt.Sprintf("%d names", gitMaxNames)
			return fs.SkipAll
		case len(list) == gitMaxRepositories:
			cut = fmt.Sprintf("%d repositories", gitMaxRepositories)
			return fs.SkipAll
		case err != nil:
			return nil //nolint:nilerr // an unreadable folder is not a repository of the user
		case entry.Name() == ".git", path == dir && isGitDir(path): // also a bare repository
			list = append(list, path)
			return nil
		case !entry.IsDir():
			return nil
		case autorun.SkippedDirs[entry.Name()] || entry.Name() == "hooks" || strings.Count(rel, "/") >= gitMaxDepth:
			return fs.SkipDir
		case (strings.Contains(path, "/.git/modules/") || filepath.Base(filepath.Dir(path)) == "worktrees") &&
			isRegular(path+"/HEAD"):
			list = append(list, path)
		}
		return nil
	})
	return list, cut
}

func isRegular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

func (mp *mountPlanner) gitDir(repo string) error {
	info, err := os.Lstat(repo)
	switch {
	case err != nil:
		return nil //nolint:nilerr // it was removed
	case info.Mode()&os.ModeSymlink != 0:
		mp.pinLink(repo, "")
		return nil
	case !info.IsDir():
		mp.bind(repo, repo, false, false)
		return nil
	}
	mp.bind(repo, repo, mp.agentWrites(repo), mp.checksWrite())
	for _, name := range gitCopiedPaths {
		source, dest := filepath.Join(repo, name), mp.privatePath("git", gitKey(mp.w.Dir, repo), name)
		info, err := os.Lstat(source)
		missing := errors.Is(err, os.ErrNotExist) && name == "hooks" // otherwise the goal could create it
		if err == nil && info.Mode()&os.ModeSymlink != 0 {
			mp.pinLink(source, "")
		}
		if name == "hooks" && filepath.Base(filepath.Dir(repo)) == "worktrees" {
			missing = false // a worktree uses its repository's hooks
		}
		if !missing && (err != nil || info.Mode()&os.ModeSymlink != 0) {
			continue
		}
		if _, err := os.Lstat(dest); errors.Is(err, os.ErrNotExist) {
			if err := mp.gitCopy(source, dest, info); err != nil {
				return err
			}
		}
		mp.bind(dest, source, mp.agentWrites(source), mp.checksWrite())
	}
	return nil
}

// gitKey returns the name of a repository's copies in the goal's private folder; "" for the repository of the goal's
// own folder.
func gitKey(dir, repo string) string {
	if repo == filepath.Join(dir, ".git") {
		return ""
	}
	return strings.ReplaceAll(repo, "/", "%")
}

// gitCopy makes two copies: one for the goal, one to compare with at its end. info is nil for missing hooks.
func (mp *mountPlanner) gitCopy(source, dest string, info os.FileInfo) error {
	start := mp.privatePath("git-start", strings.TrimPrefix(dest, mp.privatePath("git")+"/"))
	for _, to := range []string{start, dest} {
		if err := mp.makeOwnedDir(filepath.Dir(to)); err != nil {
			return err
		}
		var err error
		if info == nil {
			err = mp.makeOwnedDir(to)
		} else {
			err = mp.copyPath(source, to, info)
		}
		if err != nil && (to == dest || !errors.Is(err, os.ErrExist)) {
			return err
		}
	}
	return nil
}

// copyPath copies a file, or a folder of files.
func (mp *mountPlanner) copyPath(source, dest string, info os.FileInfo) error {
	if info.Mode().IsRegular() {
		return mp.copyFile(source, dest, info)
	}
	if err := mp.makeOwnedDir(dest); err != nil {
		return err
	}
	entries, err := os.ReadDir(source)
	for _, entry := range entries {
		info, infoErr := entry.Info()
		if infoErr != nil || !info.Mode().IsRegular() || info.Size() > gitMaxFileBytes {
			continue // the goal does not get hooks that are too large
		}
		copyErr := mp.copyFile(filepath.Join(source, entry.Name()), filepath.Join(dest, entry.Name()), info)
		if !errors.Is(copyErr, os.ErrNotExist) { // otherwise it was removed since
			err = errors.Join(err, copyErr)
		}
	}
	return err
}

func (mp *mountPlanner) copyFile(source, dest string, info os.FileInfo) (err error) {
	// programs of an earlier run may replace it
	in, err := os.OpenFile(source, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	if now, err := in.Stat(); err != nil || !now.Mode().IsRegular() || now.Size() > gitMaxFileBytes {
		return errors.Join(fmt.Errorf("%s is not a file of git: %w", source, autorun.ErrNotRegular), err)
	}
	out, err := os.OpenFile(dest, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o600)
	if err != nil {
		return err //nolint:wrapcheck // plan wraps it
	}
	_, err = io.Copy(out, io.LimitReader(in, gitMaxFileBytes))
	err = errors.Join(err, out.Close())
	if err == nil && os.Getuid() == 0 {
		err = os.Chown(dest, mp.out.UID, mp.out.GID)
	}
	return err //nolint:wrapcheck // plan wraps it
}
