package verify

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

	"goalpost/backend/goal"
)

// matchMax is the longest file that a pattern is tried on, in bytes.
const matchMax = 16 << 20

// file looks at a file of the goal's folder. No symlink leads out of it.
func (h Host) file(ctx context.Context, c check) ruling {
	from := time.Now()
	r, err := h.look(ctx, c)
	if err != nil {
		r = undecided(err)
	}
	r.Took = time.Since(from)
	r.TookMS = r.Took.Milliseconds()
	return r
}

func (h Host) look(ctx context.Context, c check) (ruling, error) {
	root, err := os.OpenRoot(h.Dir)
	if err != nil {
		return ruling{}, fmt.Errorf("the goal's folder: %w", plain(err))
	}
	defer func() { _ = root.Close() }()
	if c.Absent {
		return absent(root, c.Path), nil
	}
	f, info, err := open(root, c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rule(goal.Fail, "it does not exist"), nil
	case err != nil: // a folder, a link out, no right to read it: it is not the file that is wanted
		return rule(goal.Fail, err.Error()), nil
	}
	defer func() { _ = f.Close() }()
	ctx, cancel := context.WithTimeoutCause(ctx, c.Timeout(), fmt.Errorf("it could not be read within %s", goal.FormatDuration(c.Timeout())))
	defer cancel()
	return examine(ctx, f, info.Size(), c)
}

func absent(root *os.Root, path string) ruling {
	_, err := root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return rule(goal.Pass, "it does not exist")
	case err != nil:
		return undecided(plain(err))
	}
	return rule(goal.Fail, "it exists")
}

// examine reads the file once: for its sum, its first bytes, and its end.
func examine(ctx context.Context, f io.Reader, size int64, c check) (ruling, error) {
	sum := sha256.New()
	var head limited
	n, err := io.Copy(io.MultiWriter(sum, &head), &patient{ctx, f})
	if err != nil {
		return ruling{}, cause(ctx, plain(err))
	}
	v := ruling{Verdict: keep(goal.Verdict{}, cut(head.b, evidenceMax), max(n, size))}
	v.Outcome, v.Detail = goal.Fail, ""
	switch got := hex.EncodeToString(sum.Sum(nil)); {
	case n < c.MinSize:
		v.Detail = fmt.Sprintf("it has %s, wanted at least %d", goal.FormatCount(n, "byte"), c.MinSize)
	case c.SHA256 != "" && got != c.SHA256:
		v.Detail = "its SHA-256 is " + got
	case c.Matches != "" && n > matchMax:
		v.Outcome, v.Detail = goal.CheckErr, fmt.Sprintf("it has %d bytes; a pattern is tried on at most %d", n, matchMax)
	case c.Matches != "":
		pattern, err := regexp.Compile(c.Matches)
		if err != nil {
			return undecidable("the pattern cannot be read: " + err.Error()), nil
		}
		if !pattern.Match(head.b) {
			v.Detail = fmt.Sprintf("it has %s, and `%s` does not match", goal.FormatCount(n, "byte"), c.Matches)
			v.Tail = brief(string(head.b), 1000)
		}
	}
	if v.Detail == "" {
		v.Outcome, v.Detail = goal.Pass, "it exists, with "+goal.FormatCount(n, "byte")
	}
	return v, nil
}

// limited keeps the first matchMax bytes.
type limited struct{ b []byte }

func (l *limited) Write(p []byte) (int, error) {
	l.b = append(l.b, p[:min(len(p), matchMax-len(l.b))]...)
	return len(p), nil
}

// patient reads until ctx ends.
type patient struct {
	ctx context.Context
	r   io.Reader
}

func (p *patient) Read(b []byte) (int, error) {
	if p.ctx.Err() != nil {
		return 0, context.Cause(p.ctx)
	}
	return p.r.Read(b) //nolint:wrapcheck // io.EOF must stay itself
}
