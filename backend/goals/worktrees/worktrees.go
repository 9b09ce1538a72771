// Package worktrees makes git worktrees for goals, commits the changes of goals in them, and removes them.
package worktrees

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/lib/text"
	"goalpost/backend/storage/config"
	"goalpost/backend/storage/gitrepo"
)

// Worktrees manages the worktrees of goals, which are all in one folder. All methods may be called concurrently.
type Worktrees struct {
	Config   *config.Config
	Programs process.Launcher // starts git with the user's rights
}

// Folder returns the folder that contains all worktrees.
func (w *Worktrees) Folder() string { return filepath.Join(w.Config.Work(), "worktrees") }

// Open opens the repository that a folder is in.
func (w *Worktrees) Open(ctx context.Context, dir string) (*gitrepo.Repo, error) {
	repo, err := gitrepo.Open(ctx, w.Programs, environ.Base(environ.Of(ctx)), dir)
	if errors.Is(err, gitrepo.ErrNoRepository) {
		return nil, fault.Invalid("new_worktree", "the folder "+dir+" is not in a git repository",
			"run git init there and make a commit, or let the goal work in the folder itself")
	}
	return repo, err
}

// Describe returns the branch and the state of the repository that a folder is in, "" if that is unknown. It starts git
// only if there is a repository.
func (w *Worktrees) Describe(ctx context.Context, dir string) string {
	const noRepository = "not a repository"
	if !IsInRepository(dir) {
		return noRepository
	}
	ctx, cancel := context.WithTimeout(ctx, describeTimeout)
	defer cancel()
	repo, err := gitrepo.Open(ctx, w.Programs, environ.Base(environ.Of(ctx)), dir)
	if err != nil {
		return ""
	}
	changed, err := repo.ChangedFiles(ctx)
	branch := "branch " + text.SanitizeLine(repo.Branch(), 100)
	if repo.Branch() == "" {
		branch = "no branch is checked out"
	}
	switch {
	case err != nil:
		return branch
	case changed == 0:
		return branch + ", nothing uncommitted"
	case changed == 1:
		return branch + ", 1 file uncommitted"
	}
	return fmt.Sprintf("%s, %d files uncommitted", branch, changed)
}

// describeTimeout bounds git in a very large repository.
const describeTimeout = time.Second

// IsInRepository reports whether a folder or one above it has a .git.
func IsInRepository(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// BranchName proposes a branch that does not exist: goalpost/ and the first words of the objective.
func BranchName(ctx context.Context, repo *gitrepo.Repo, objective string, id goal.ID) string {
	const maxWords = 6
	words := strings.FieldsFunc(strings.ToLower(objective), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := "goalpost/" + strings.Join(words[:min(maxWords, len(words))], "-")
	if len(words) == 0 || repo.HasBranch(ctx, name) {
		name = strings.TrimSuffix(name, "/") + "-" + id.Short()
	}
	return name
}

// Create makes a worktree of the repository that contains folder, at the commit that is checked out there. dir is the
// goal's folder in the worktree. The path of folder must not contain links.
func (w *Worktrees) Create(ctx context.Context, folder, objective string, id goal.ID) (
	worktree goal.Worktree, dir string, err error,
) {
	repo, err := w.Open(ctx, folder)
	if err != nil {
		return worktree, "", err
	}
	worktree = goal.Worktree{Folder: folder, Repository: repo.Top(), From: repo.Branch(), Base: repo.Head()}
	if worktree.CommonDir, err = repo.CommonDir(ctx); err != nil {
		return worktree, "", err
	}
	worktree.Branch = BranchName(ctx, repo, objective, id)
	words := strings.TrimPrefix(strings.TrimPrefix(worktree.Branch, "goalpost/"), "goalpost-")
	name := filepath.Base(worktree.Repository) + "-" + words
	if worktree.Dir, err = w.makeFolder(name); err != nil {
		return worktree, "", err
	}
	if err := repo.AddWorktree(ctx, worktree.Dir, worktree.Branch); err != nil {
		hint := "let the goal work in the folder itself"
		if cause := fault.Of(err).Hint; cause != "" {
			hint = cause + ", or " + hint
		}
		return worktree, "", errors.Join(fault.Kind(fault.Conflict, "new_worktree",
			"the worktree cannot be made: "+err.Error(), hint), os.RemoveAll(worktree.Dir))
	}
	dir = filepath.Join(worktree.Dir, filepath.FromSlash(repo.Prefix()))
	if _, err := os.Stat(dir); err != nil { // git has no file in that folder
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return worktree, "", errors.Join(fmt.Errorf("the goal's folder: %w", err), w.Discard(ctx, worktree))
		}
	}
	return worktree, dir, nil
}

// makeFolder makes a new folder, and adds a number to its name if that is taken.
func (w *Worktrees) makeFolder(name string) (string, error) {
	if err := os.MkdirAll(w.Folder(), 0o755); err != nil {
		return "", fmt.Errorf("the folder of worktrees: %w", err)
	}
	parent, err := filepath.EvalSymlinks(w.Folder())
	if err != nil {
		return "", fmt.Errorf("the folder of worktrees: %w", err)
	}
	for n := 1; ; n++ {
		dir := filepath.Join(parent, name)
		if n > 1 {
			dir = fmt.Sprintf("%s-%d", dir, n)
		}
		err := os.Mkdir(dir, 0o755)
		if err == nil || !errors.Is(err, os.ErrExist) {
			return dir, err //nolint:wrapcheck // it names the folder
		}
	}
}

// Discard removes an unused worktree and its branch.
func (w *Worktrees) Discard(ctx context.Context, worktree goal.Worktree) error {
	ctx = context.WithoutCancel(ctx)
	repo, err := w.Open(ctx, worktree.Repository)
	if err != nil {
		return err
	}
	if err := repo.RemoveWorktree(ctx, worktree.Dir); err != nil {
		return err
	}
	return repo.DeleteBranch(ctx, worktree.Branch, worktree.Base)
}

// Uncommitted returns how many files of the user's work tree have uncommitted changes, which a new worktree lacks.
func (w *Worktrees) Uncommitted(ctx context.Context, dir string) (int, error) {
	repo, err := w.Open(ctx, dir)
	if err != nil {
		return 0, err
	}
	paths, err := repo.Uncommitted(ctx)
	return len(paths), err
}

// State describes a worktree, and whether it has work that no other branch has.
type State struct {
	Path        string // of the folder
	Repository  string
	Branch      string // "" if none is checked out
	Uncommitted int    // files
	IsMerged    bool   // another branch has its commits
	Problem     string // why the state is unknown, "" if it is known
}

// HasWork reports whether removing the worktree and its branch would lose something.
func (s State) HasWork() bool { return s.Uncommitted > 0 || !s.IsMerged || s.Problem != "" }

// List lists all worktrees in the folder, including those of deleted goals, sorted by path.
func (w *Worktrees) List(ctx context.Context) ([]State, error) {
	entries, err := os.ReadDir(w.Folder())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the folder of worktrees: %w", err)
	}
	parent, err := filepath.EvalSymlinks(w.Folder())
	if err != nil {
		return nil, nil //nolint:nilerr // there is no folder yet
	}
	var list []State
	for _, entry := range entries {
		if entry.IsDir() {
			list = append(list, w.Inspect(ctx, filepath.Join(parent, entry.Name())))
		}
	}
	slices.SortFunc(list, func(a, b State) int { return cmp.Compare(a.Path, b.Path) })
	return list, nil
}

// Inspect returns the state of one worktree.
func (w *Worktrees) Inspect(ctx context.Context, dir string) State {
	s := State{Path: dir}
	repo, err := w.openWorktree(ctx, dir)
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	s.Branch = repo.Branch()
	var paths []string
	if s.Repository, err = repo.MainWorktree(ctx); err == nil {
		paths, err = repo.Uncommitted(ctx)
	}
	if s.Uncommitted = len(paths); err == nil && s.Branch != "" {
		s.IsMerged, err = repo.IsMerged(ctx, s.Branch)
	}
	if err != nil {
		s.Problem = err.Error()
	}
	return s
}

// openWorktree opens a worktree in this package's folder. It refuses a folder that is only inside a repository.
func (w *Worktrees) openWorktree(ctx context.Context, dir string) (*gitrepo.Repo, error) {
	repo, err := w.Open(ctx, dir)
	if err == nil && repo.Top() != dir {
		err = fault.Kind(fault.Conflict, "", "the folder "+dir+" is not a git worktree",
			"git worktree list shows those of a repository")
	}
	return repo, err
}

// Remove removes a worktree and its branch. Without force it refuses if the worktree has work that no other branch has.
// commit is the last one of the branch.
func (w *Worktrees) Remove(ctx context.Context, dir string, force bool) (state State, commit string, err error) {
	if parent, err := filepath.EvalSymlinks(w.Folder()); err != nil || filepath.Dir(dir) != parent {
		return state, "", fault.Kind(fault.NotFound, "", "the folder "+dir+" is not a worktree of a goal",
			"goalctl worktree list shows all worktrees")
	}
	state = w.Inspect(ctx, dir)
	if state.Problem != "" {
		return state, "", fault.Kind(fault.Conflict, "", "the worktree "+dir+" cannot be read: "+state.Problem,
			"remove the folder yourself")
	}
	if state.HasWork() && !force {
		return state, "", fault.Kind(fault.Conflict, "", state.describeWork(),
			"merge the branch first, or remove it with --force, which deletes that work")
	}
	owner, err := w.Open(ctx, state.Repository) // git does not remove the folder that it works in
	if err != nil {
		return state, "", err
	}
	commit = owner.BranchHead(ctx, state.Branch)
	if err := owner.RemoveWorktree(ctx, dir); err != nil {
		return state, "", err
	}
	if commit == "" {
		return state, "", nil
	}
	return state, commit, owner.DeleteBranch(ctx, state.Branch, commit)
}

// describeWork names the work that no other branch has.
func (s State) describeWork() string {
	var parts []string
	if s.Uncommitted > 0 {
		parts = append(parts, goal.FormatCount(s.Uncommitted, "uncommitted file"))
	}
	if !s.IsMerged {
		parts = append(parts, "commits that no other branch has")
	}
	return s.Path + " has " + strings.Join(parts, " and ")
}
