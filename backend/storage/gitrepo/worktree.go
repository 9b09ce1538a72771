package gitrepo

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"goalpost/backend/lib/fault"
)

// Top returns the folder of the work tree that the opened folder is in, without links.
func (r *Repo) Top() string { return filepath.Clean(filepath.Join(r.real, r.top())) }

// Prefix returns the path from the top of the work tree to the opened folder: "", or with a slash at its end.
func (r *Repo) Prefix() string { return r.prefix }

// Head returns the commit that is checked out, "" if there is none yet.
func (r *Repo) Head() string { return r.head }

// CommonDir returns the repository's own folder, which all of its worktrees share.
func (r *Repo) CommonDir(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(strings.TrimSuffix(string(out), "\n"))
	if err != nil {
		return "", fmt.Errorf("git's own folder: %w", err)
	}
	return dir, nil
}

// MainWorktree returns the top of the repository's first work tree.
func (r *Repo) MainWorktree(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return "", err
	}
	first, _, _ := strings.Cut(string(out), "\x00")
	return strings.TrimPrefix(first, "worktree "), nil
}

// AddWorktree makes a work tree in dir, which must be missing or empty, with a new branch that begins at the commit
// that is checked out. Hooks and filters do not run, and submodules stay empty.
func (r *Repo) AddWorktree(ctx context.Context, dir, branch string) error {
	if r.head == "" {
		return fault.Kind(fault.Conflict, "", "the repository has no commit yet", "make a first commit there")
	}
	_, err := r.run(ctx, nil, "-C", r.top(), "worktree", "add", "--quiet", "--no-track", "-b", branch, "--", dir, r.head)
	return err
}

// RemoveWorktree removes a work tree with everything in it.
func (r *Repo) RemoveWorktree(ctx context.Context, dir string) error {
	_, err := r.run(ctx, nil, "worktree", "remove", "--force", "--force", "--", dir)
	return err
}

// BranchHead returns the commit of a branch, "" if there is no such branch.
func (r *Repo) BranchHead(ctx context.Context, branch string) string {
	out, err := r.run(ctx, nil, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch+"^{commit}")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// DeleteBranch deletes a branch that no work tree has checked out and that is still at the given commit.
func (r *Repo) DeleteBranch(ctx context.Context, branch, commit string) error {
	_, err := r.run(ctx, nil, "update-ref", "-d", "refs/heads/"+branch, commit)
	return err
}

// IsMerged reports whether another branch, local or remote, contains the commits of a branch.
func (r *Repo) IsMerged(ctx context.Context, branch string) (bool, error) {
	out, err := r.run(ctx, nil, "for-each-ref", "--format=%(refname)", "--contains", "refs/heads/"+branch,
		"refs/heads", "refs/remotes")
	if err != nil {
		return false, err
	}
	for ref := range strings.Lines(string(out)) {
		if strings.TrimSpace(ref) != "refs/heads/"+branch {
			return true, nil
		}
	}
	return false, nil
}

// Tracks reports whether the commit that is checked out has a file at or below a path of the work tree.
func (r *Repo) Tracks(ctx context.Context, path string) (bool, error) {
	if r.head == "" {
		return false, nil
	}
	out, err := r.run(ctx, nil, "-C", r.top(), "ls-tree", "-z", "--name-only", r.head, "--", filepath.ToSlash(path))
	return len(out) > 0, err
}

// Uncommitted lists the files of the whole work tree that differ from the commit that is checked out, including new
// ones that git does not ignore. Paths are relative to its top; a folder with a repository of its own ends with a
// slash.
func (r *Repo) Uncommitted(ctx context.Context) ([]string, error) {
	out, err := r.run(ctx, nil, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all",
		"--ignore-submodules=all")
	if err != nil {
		return nil, err
	}
	const states = len("XY ")
	var paths []string
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) > states {
			paths = append(paths, entry[states:])
		}
	}
	return paths, nil
}

// ReadFile returns a file of the work tree for a commit. ok is false for something that cannot be in a commit: a
// folder, a device, or a file of more than maxBytes. It follows no link out of the work tree.
func (r *Repo) ReadFile(path string, maxBytes int64) (f File, ok bool, err error) {
	f = File{Path: path}
	root, err := os.OpenRoot(r.Top())
	if err != nil {
		return f, false, fmt.Errorf("the work tree: %w", err)
	}
	defer func() { _ = root.Close() }()
	info, err := root.Lstat(filepath.FromSlash(path))
	if err != nil {
		return f, true, nil //nolint:nilerr // it is gone, or one of its folders is: the commit removes it
	}
	var content []byte
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := root.Readlink(filepath.FromSlash(path))
		if err != nil {
			return f, false, fmt.Errorf("the link %s: %w", path, err)
		}
		f.Mode, content = "120000", []byte(target)
	case info.Mode().IsRegular() && info.Size() <= maxBytes:
		if content, err = root.ReadFile(filepath.FromSlash(path)); err != nil {
			return f, false, fmt.Errorf("reading a file for the commit: %w", err)
		}
		f.Mode = "100644"
		if info.Mode()&0o100 != 0 {
			f.Mode = "100755"
		}
	default:
		return f, false, nil
	}
	f.Content = func() ([]byte, error) { return content, nil }
	return f, true, nil
}
