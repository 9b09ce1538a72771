package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// maxMatchBytes is the longest file that a pattern is applied to, in bytes.
const maxMatchBytes = 16 << 20

// checkFile checks a file of the goal's folder. It follows no symlink out of it.
func (e Environment) checkFile(ctx context.Context, c Item) Result {
	from := time.Now()
	r, err := e.inspectFile(ctx, c)
	if err != nil {
		r = RetryableError(err)
	}
	r.Took = time.Since(from)
	r.TookMS = r.Took.Milliseconds()
	return r
}

func (e Environment) inspectFile(ctx context.Context, c Item) (Result, error) {
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return Result{}, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	if c.Absent {
		return checkAbsent(root, c.Path), nil
	}
	f, info, err := fileio.Open(root, c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NewResult(goal.Fail, "it does not exist"), nil
	case err != nil: // a folder, a link that leads outside, no permission: not the wanted file
		return NewResult(goal.Fail, err.Error()), nil
	}
	defer func() { _ = f.Close() }()
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout(),
		fmt.Errorf("it could not be read within %s", goal.FormatDuration(c.Timeout())))
	defer cancel()
	return inspectContent(ctx, f, info.Size(), c)
}

func checkAbsent(root *os.Root, path string) Result {
	_, err := root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return NewResult(goal.Pass, "it does not exist")
	case err != nil:
		return RetryableError(text.StripPathError(err))
	}
	return NewResult(goal.Fail, "it exists")
}

// inspectContent reads the file once: for its hash, its first bytes and its size.
func inspectContent(ctx context.Context, f io.Reader, size int64, c Item) (Result, error) {
	sum := sha256.New()
	all := io.TeeReader(&ctxReader{ctx, f}, sum)
	head, err := io.ReadAll(io.LimitReader(all, maxMatchBytes))
	n, err2 := io.Copy(io.Discard, all)
	if err = errors.Join(err, err2); err != nil {
		return Result{}, contextCause(ctx, text.StripPathError(err))
	}
	n += int64(len(head))
	v := Result{Verdict: evidenceOf(head, max(n, size))}
	v.Outcome, v.Detail = goal.Fail, ""
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case n < c.MinSize:
		v.Detail = fmt.Sprintf("it has %s, expected at least %d", goal.FormatCount(n, "byte"), c.MinSize)
	case c.SHA256 != "" && got != c.SHA256:
		v.Detail = "its SHA-256 is " + got
	case c.Matches != "" && n > maxMatchBytes:
		v.Outcome = goal.CheckErr
		v.Detail = fmt.Sprintf("it has %d bytes; a pattern is applied to at most %d", n, maxMatchBytes)
	case c.Matches != "":
		pattern, err := regexp.Compile(c.Matches)
		if err != nil {
			return permanentError("the pattern is invalid: " + err.Error()), nil
		}
		if !pattern.Match(head) {
			v.Detail = fmt.Sprintf("it has %s, and `%s` does not match", goal.FormatCount(n, "byte"), c.Matches)
			v.Tail = text.SanitizeLine(string(head), 1000)
		}
	}
	if v.Detail == "" {
		v.Outcome, v.Detail = goal.Pass, "it exists, with "+goal.FormatCount(n, "byte")
	}
	return v, nil
}

// ctxReader reads until ctx ends.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(b []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(b) //nolint:wrapcheck // io.EOF must stay itself
}
