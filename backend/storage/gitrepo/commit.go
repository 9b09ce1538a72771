package gitrepo

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
)

// File is a file of a commit.
type File struct {
	Path string // relative to the folder, with slashes
	Mode string // 100644, 100755 or 120000; "" removes the file
	// Content returns the content of the file, or the target of a link.
	Content func() ([]byte, error)
}

// ErrNothing means that the files are as they are in the commit that is checked out.
var ErrNothing error = fault.Kind(fault.Conflict, "", "there is nothing to commit",
	"the files are as they are in the commit that is checked out")

// Commit commits some files on top of the commit that is checked out, on a new branch. If branch is the one that is
// checked out, it moves to the commit, and the index gets these files. No file in the folder changes, and nothing else
// in the index.
func (r *Repo) Commit(ctx context.Context, branch, message string, files []File) (commit string, err error) {
	ref := "refs/heads/" + branch
	if _, err := r.run(ctx, nil, "check-ref-format", ref); err != nil || strings.HasPrefix(branch, "-") {
		return "", fault.Invalid("branch", fmt.Sprintf("%q is not a valid branch name", branch),
			"use letters, digits, dashes and slashes")
	}
	isCurrent := branch == r.branch
	if !isCurrent && r.HasBranch(ctx, branch) {
		return "", fault.Invalid("branch", "the branch "+branch+" already exists", "use another name, or delete it")
	}
	commit, err = r.importFiles(ctx, message, files, func(commit string) error {
		old := strings.Repeat("0", len(commit))
		if isCurrent && r.head != "" {
			old = r.head
		}
		_, err := r.run(ctx, nil, "update-ref", "-m", "goalpost: commit", ref, commit, old)
		return err
	})
	if err == nil && isCurrent {
		if err = r.updateIndex(ctx, commit); err != nil {
			err = fmt.Errorf("the commit %s was made, but the index was not updated: %w", commit[:12], err)
		}
	}
	return commit, err
}

// WritePatch writes a commit of some files as a patch that git am takes. No branch changes.
func (r *Repo) WritePatch(ctx context.Context, message string, files []File, to *os.File) error {
	_, err := r.importFiles(ctx, message, files, func(commit string) error {
		return r.runTo(ctx, to, nil, "format-patch", "--stdout", "--binary", "--no-ext-diff", "--no-textconv",
			"--no-signature", "--no-renames", "--root", "-1", commit)
	})
	return err
}

// importFiles makes a commit outside of all branches, and calls use with it.
func (r *Repo) importFiles(
	ctx context.Context, message string, files []File, use func(commit string) error,
) (commit string, err error) {
	author, err := r.author(ctx)
	if err != nil {
		return "", err
	}
	var random [8]byte
	_, _ = rand.Read(random[:]) // never fails
	temporary := "refs/goalpost/" + hex.EncodeToString(random[:])
	input, output := io.Pipe()
	result := make(chan error, 1)
	go func() {
		err := r.writeImport(output, temporary, author, message, files)
		_ = output.CloseWithError(err) // never fails
		result <- err
	}()
	_, err = r.run(ctx, input, "fast-import", "--quiet", "--done", "--date-format=raw")
	_ = input.CloseWithError(io.ErrClosedPipe) // never fails
	if writeErr := <-result; writeErr != nil && !errors.Is(writeErr, io.ErrClosedPipe) {
		err = writeErr
	}
	if err != nil {
		return "", err
	}
	defer func() {
		_, deleteErr := r.run(context.WithoutCancel(ctx), nil, "update-ref", "-d", temporary)
		err = errors.Join(err, deleteErr)
	}()
	out, err := r.run(ctx, nil, "rev-parse", temporary+"^{commit}")
	if err != nil {
		return "", err
	}
	commit = strings.TrimSpace(string(out))
	if r.head != "" {
		if out, err = r.run(ctx, nil, "diff-tree", "-r", "--raw", r.head, commit); err != nil {
			return "", err
		}
		if len(out) == 0 {
			return "", ErrNothing
		}
	}
	return commit, use(commit)
}

// author returns the author and time of a commit. If git's configuration has no name, the author is DefaultAuthor.
func (r *Repo) author(ctx context.Context) (string, error) {
	out, err := r.run(ctx, nil, "var", "GIT_AUTHOR_IDENT")
	switch {
	case err == nil:
		return strings.TrimSpace(string(out)), nil
	case r.DefaultAuthor == "":
		return "", fault.Kind(fault.Conflict, "", "git does not know your name",
			"run git config --global user.name NAME, and the same with user.email")
	}
	return fmt.Sprintf("%s %d +0000", r.DefaultAuthor, time.Now().Unix()), nil
}

// writeImport writes the input of git fast-import: removals first, so that a file may take the place of a folder.
func (r *Repo) writeImport(to io.Writer, ref, author, message string, files []File) error {
	w := bufio.NewWriterSize(to, 64<<10)
	_, _ = fmt.Fprintf(w, "commit %s\nauthor %s\ncommitter %s\ndata %d\n%s\n", ref, author, author, len(message), message)
	if r.head != "" {
		_, _ = fmt.Fprintf(w, "from %s\n", r.head)
	}
	for _, f := range files {
		if f.Mode == "" {
			_, _ = fmt.Fprintf(w, "D %s\n", quotePath(r.prefix+f.Path))
		}
	}
	for _, f := range files {
		if f.Mode == "" {
			continue
		}
		content, err := f.Content()
		if err != nil {
			return fmt.Errorf("commit %s: %w", f.Path, err)
		}
		_, _ = fmt.Fprintf(w, "M %s inline %s\ndata %d\n", f.Mode, quotePath(r.prefix+f.Path), len(content))
		_, _ = w.Write(content)
		_ = w.WriteByte('\n')
	}
	_, _ = w.WriteString("\ndone\n")
	if err := w.Flush(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// quotePath quotes a path for git fast-import, with special bytes as octal numbers.
func quotePath(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(path) {
		if c := path[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%03o", c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// updateIndex puts what a commit changed into the user's index.
func (r *Repo) updateIndex(ctx context.Context, commit string) error {
	from := r.head
	if from == "" {
		out, err := r.run(ctx, strings.NewReader(""), "hash-object", "-t", "tree", "--stdin")
		if err != nil {
			return err
		}
		from = strings.TrimSpace(string(out))
	}
	out, err := r.run(ctx, nil, "diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, commit)
	if err != nil {
		return err
	}
	var lines strings.Builder
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) >= 2; fields = fields[2:] {
		if words := strings.Fields(fields[0]); len(words) == 5 { // :oldmode newmode oldobject newobject status
			fmt.Fprintf(&lines, "%s %s\t%s\x00", strings.TrimLeft(words[1], ":"), words[3], fields[1])
		}
	}
	// The paths are relative to the top of the work tree.
	_, err = r.run(ctx, strings.NewReader(lines.String()), "-C", r.top(), "update-index", "-z", "--index-info")
	return err
}

// top returns the path from the folder to the top of the work tree.
func (r *Repo) top() string {
	return "./" + strings.Repeat("../", strings.Count(r.prefix, "/"))
}
