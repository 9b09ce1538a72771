package lifecycle

import (
	"context"
	"crypto/sha1" //nolint:gosec // the names of git's objects
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/api"
	"goalpost/backend/goals/worktrees"
	"goalpost/backend/host/sandbox/environ"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/gitrepo"
	"goalpost/backend/storage/snapshot"
	"goalpost/backend/storage/store"
)

// maxCommitBytes is the largest file that is committed.
const maxCommitBytes = 100 << 20

// CommitOffer reports whether the changes of a goal can be committed, and proposes a branch and a message.
func (fh *FolderHistory) CommitOffer(ctx context.Context, id goal.ID) (out api.CommitOffer, err error) {
	row, err := fh.store.Goals.Get(ctx, id)
	if err != nil {
		return out, fmt.Errorf("commit: %w", err)
	}
	repo, err := fh.openRepo(ctx, row)
	if errors.Is(err, gitrepo.ErrNoRepository) {
		out.Unavailable = "The goal's folder is not in a git repository."
		return out, nil
	}
	if err != nil {
		return out, err
	}
	out.Current, out.Message = repo.Branch(), row.Objective
	out.Branch = proposeBranch(ctx, repo, row.Goal)
	return out, nil
}

// openRepo opens the repository of a goal's folder. Its git runs outside the sandbox, as the user.
func (fh *FolderHistory) openRepo(ctx context.Context, row store.GoalRow) (*gitrepo.Repo, error) {
	return gitrepo.Open(ctx, fh.programs, environ.Base(environ.Of(ctx)), row.Policy.Dir)
}

// proposeBranch proposes the branch of the goal's worktree, or a new one.
func proposeBranch(ctx context.Context, repo *gitrepo.Repo, g goal.Goal) string {
	if worktree := g.Origin.Worktree; worktree != nil && repo.Branch() == worktree.Branch {
		return worktree.Branch
	}
	return worktrees.BranchName(ctx, repo, g.Objective, g.ID)
}

// CommitChanges commits the present state of the files that a goal changed. The goal must not run.
func (fh *FolderHistory) CommitChanges(
	ctx context.Context, id goal.ID, in api.CommitInput,
) (out api.CommitOutput, err error) {
	row, repo, files, out, err := fh.prepareCommit(ctx, id, in.Paths)
	if err != nil {
		return out, err
	}
	if out.Branch = in.Branch; out.Branch == "" {
		out.Branch = proposeBranch(ctx, repo, row.Goal)
	}
	out.Commit, err = repo.Commit(ctx, out.Branch, commitMessage(row, in.Message), files)
	return out, nameLeftOut(err, out.Skipped)
}

// nameLeftOut names the files that were left out if no other file can be committed. Then ErrNothing would be wrong.
func nameLeftOut(err error, skipped []api.LeftOutPath) error {
	const maxNamed = 5
	if !errors.Is(err, gitrepo.ErrNothing) || len(skipped) == 0 {
		return err
	}
	var names []string
	for _, s := range skipped[:min(len(skipped), maxNamed)] {
		names = append(names, s.Path+" ("+s.Why+")")
	}
	if n := len(skipped) - maxNamed; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return fault.New(fault.Conflict, fmt.Sprintf("no file can be committed here; %s left out: %s",
		goal.FormatCount(len(skipped), "file"), strings.Join(names, ", ")),
		"commit them yourself with git add and git commit; git add needs -f for ignored files")
}

// WriteCommitPatch writes the changes of a goal as a patch for git am.
func (fh *FolderHistory) WriteCommitPatch(
	ctx context.Context, id goal.ID, in api.CommitInput, to *os.File,
) (api.CommitOutput, error) {
	row, repo, files, out, err := fh.prepareCommit(ctx, id, in.Paths)
	if err != nil {
		return out, err
	}
	err = repo.WritePatch(ctx, commitMessage(row, in.Message), files, to)
	return out, nameLeftOut(err, out.Skipped)
}

func commitMessage(row store.GoalRow, message string) string {
	if message = strings.TrimSpace(message); message == "" {
		message = row.Objective
	}
	return strings.TrimSpace(message) + "\n"
}

// prepareCommit opens the repository and collects the files of a commit. It refuses while the goal runs.
func (fh *FolderHistory) prepareCommit(ctx context.Context, id goal.ID, paths []string) (
	row store.GoalRow, repo *gitrepo.Repo, files []gitrepo.File, out api.CommitOutput, err error,
) {
	if row, err = fh.store.Goals.Get(ctx, id); err != nil {
		return row, nil, nil, out, fmt.Errorf("commit: %w", err)
	}
	working, err := fh.isWorking(row)
	if err != nil {
		return row, nil, nil, out, err
	}
	if working {
		return row, nil, nil, out,
			fault.Kind(fault.Conflict, "", "the goal is running and could change files during the commit",
				"pause it first: goalctl pause "+id.Short())
	}
	a, unavailable, err := fh.open(row)
	if err != nil {
		return row, nil, nil, out, err
	}
	if a == nil {
		return row, nil, nil, out, fault.Kind(fault.Conflict, "", unavailable,
			"git status shows what changed in the folder; commit it yourself")
	}
	repo, err = fh.openRepo(ctx, row)
	if errors.Is(err, gitrepo.ErrNoRepository) {
		return row, nil, nil, out, fault.Kind(fault.Conflict, "",
			"the folder "+row.Policy.Dir+" is not in a git repository", "run git init there first")
	}
	if err != nil {
		return row, nil, nil, out, err
	}
	c, err := fh.compare(ctx, row, a, paths)
	if err != nil {
		return row, nil, nil, out, err
	}
	files, err = collectFiles(ctx, row, a, repo, c, &out)
	return row, repo, files, out, nameLeftOut(err, out.Skipped)
}

// collectFiles converts changes to the files of a commit, and lists in out what is committed and what is left out.
func collectFiles(
	ctx context.Context, row store.GoalRow, a *snapshot.Archive, repo *gitrepo.Repo, c *snapshot.Comparison,
	out *api.CommitOutput,
) ([]gitrepo.File, error) {
	changes := c.Files()
	out.Files, out.Skipped, out.Mixed = []api.ChangedPath{}, []api.LeftOutPath{}, []string{}
	committed, err := repo.Committed(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, one := range changes {
		names = append(names, one.Path)
	}
	filtered := map[string]string{}
	if len(names) > 0 {
		if filtered, err = repo.Filtered(ctx, names); err != nil {
			return nil, err
		}
	}
	for _, e := range c.LeftOut {
		if e.IsWork() {
			why := "not compared, " + e.LeftOut + "; commit it yourself if the goal changed it"
			out.Skipped = append(out.Skipped, api.LeftOutPath{Path: snapshot.Display(string(e.Path)), Why: why})
		}
	}
	var files []gitrepo.File
	for _, one := range changes {
		if one.IsFolder() {
			continue // git has no folders
		}
		if why := skipReason(row, one, filtered[one.Path]); why != "" {
			out.Skipped = append(out.Skipped, api.LeftOutPath{Path: snapshot.Display(one.Path), Why: why})
			continue
		}
		if isMixed(a, one, committed[one.Path]) {
			out.Mixed = append(out.Mixed, snapshot.Display(one.Path))
		}
		out.Files = append(out.Files, api.ChangedPath{Path: snapshot.Display(one.Path), Change: changeOf(one)})
		files = append(files, commitFile(a, one))
	}
	if len(files) == 0 {
		return nil, gitrepo.ErrNothing
	}
	return files, nil
}

// skipReason returns why a file is not committed, "" if it is.
func skipReason(row store.GoalRow, c snapshot.Change, filter string) string {
	switch {
	case c.IsIgnored():
		return "git ignores it"
	case filter != "":
		return "git would run the filter " + filter + " on it; commit it yourself"
	case c.After != nil && c.After.Size > maxCommitBytes:
		return fmt.Sprintf("it is larger than %d MiB; commit it yourself", maxCommitBytes>>20)
	}
	for folder := filepath.Dir(filepath.FromSlash(c.Path)); folder != "."; folder = filepath.Dir(folder) {
		if _, err := os.Lstat(filepath.Join(row.Policy.Dir, folder, ".git")); err == nil {
			return "it belongs to the repository in " + snapshot.Display(filepath.ToSlash(folder))
		}
	}
	return ""
}

// commitFile converts a change to a file with git's mode.
func commitFile(a *snapshot.Archive, c snapshot.Change) gitrepo.File {
	f := gitrepo.File{Path: c.Path}
	e := c.After
	switch {
	case e == nil || e.Mode.IsDir():
	case e.Mode&fs.ModeSymlink != 0:
		f.Mode, f.Content = "120000", func() ([]byte, error) { return []byte(e.Target), nil }
	default:
		f.Mode, f.Content = "100644", func() ([]byte, error) { return a.Present(e, maxCommitBytes) }
		if e.Mode&0o100 != 0 {
			f.Mode = "100755"
		}
	}
	return f
}

// isMixed reports whether a file already had uncommitted changes when the goal started. object is the file's content
// in the newest commit.
func isMixed(a *snapshot.Archive, c snapshot.Change, object string) bool {
	before := c.Before
	if before == nil || before.Mode.IsDir() {
		return object != ""
	}
	content := []byte(before.Target)
	if before.Target == "" {
		var err error
		if content, err = a.Content(before, maxCommitBytes); err != nil {
			return false // the old content was not kept, so this is unknown
		}
	}
	sum := sha1.New() //nolint:gosec // the names of git's objects
	if len(object) == hex.EncodedLen(sha256.Size) {
		sum = sha256.New()
	}
	_, _ = fmt.Fprintf(sum, "blob %d\x00", len(content)) // never fails
	_, _ = sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil)) != object
}
