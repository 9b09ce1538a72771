package snapshot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/diff"

	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// MaxTextBytes limits the texts that are compared line by line.
const MaxTextBytes = 1 << 20

// Change is one path that differs from a snapshot. Before is nil if it is new, and After if it is gone.
type Change struct {
	Path          string
	Before, After *Entry
	// EditedSince reports that another program or the user changed it after the goal did: it differs from the goal's last
	// snapshot.
	EditedSince bool
}

// IsFolder reports whether the path is, or was, only a folder.
func (c Change) IsFolder() bool {
	return (c.Before == nil || c.Before.isDir()) && (c.After == nil || c.After.isDir())
}

// IsIgnored reports whether a .gitignore names the file.
func (c Change) IsIgnored() bool {
	return c.Before != nil && c.Before.Ignored || c.After != nil && c.After.Ignored
}

// Comparison has the differences of the folder from a snapshot.
type Comparison struct {
	Changes []Change // by path, including folders
	LeftOut []*Entry // entries that are not compared, stored or changed
}

// Compare compares the present folder with snapshot n.
func (a *Archive) Compare(ctx context.Context, n int) (*Comparison, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n < 0 || n >= len(a.records) {
		return nil, fmt.Errorf("there is no snapshot %d", n)
	}
	is, err := a.scanNow(ctx)
	if err != nil {
		return nil, err
	}
	return a.compare(n, is), nil
}

// scanNow returns the present state of the folder, and stores no contents. The caller holds mu.
func (a *Archive) scanNow(ctx context.Context) (state, error) {
	s := &scan{rules: a.rules, hidden: a.o.Hidden, previous: a.last}
	err := s.run(ctx, a.o.Dir)
	return s.entries, err
}

// compare compares a state with snapshot n. The caller holds mu.
func (a *Archive) compare(n int, is state) *Comparison {
	was, edited := a.stateAt(n), a.editedSince(n)
	c := &Comparison{}
	for path, e := range is {
		if e.LeftOut != "" {
			c.LeftOut = append(c.LeftOut, e)
		}
		if !equalEntries(was[path], e) {
			c.add(was, is, path)
		}
	}
	for path, e := range was {
		if is[path] != nil {
			continue
		}
		if e.LeftOut != "" && e.LeftOut != leftOutGit && e.LeftOut != leftOutGenerated {
			c.LeftOut = append(c.LeftOut, e)
		}
		c.add(was, is, path)
	}
	for i := range c.Changes {
		one := &c.Changes[i]
		one.EditedSince = edited[one.Path] || !equalEntries(a.last[one.Path], one.After)
	}
	slices.SortFunc(c.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	slices.SortFunc(c.LeftOut, func(a, b *Entry) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return c
}

// add adds a path that differs, unless one of the states leaves it out.
func (c *Comparison) add(was, is state, path string) {
	if !was.isLeftOut(path) && !is.isLeftOut(path) {
		c.Changes = append(c.Changes, Change{Path: path, Before: was[path], After: is[path]})
	}
}

// editedSince returns the paths that the user or another program changed between the runs of the goal after snapshot
// n. The caller holds mu.
func (a *Archive) editedSince(n int) map[string]bool {
	edited, s := map[string]bool{}, a.stateAt(n)
	for _, r := range a.records[n+1:] {
		for _, e := range r.Put {
			path := string(e.Path)
			mark(edited, r.Kind, path, s.isLeftOut(path) || e.LeftOut != "")
		}
		for _, path := range r.Gone {
			mark(edited, r.Kind, string(path), s.isLeftOut(string(path)))
		}
		s.apply(r)
	}
	return edited
}

func mark(edited map[string]bool, kind Kind, path string, isUnknown bool) {
	switch {
	case kind == AfterUndo:
		delete(edited, path)
	case (kind == Resume || kind == BeforeUndo) && !isUnknown:
		edited[path] = true
	}
}

// Select removes all changes that are not at or below one of the paths, which are relative to the folder. Without
// paths it removes nothing.
func (c *Comparison) Select(paths []string) {
	if len(paths) == 0 {
		return
	}
	isSelected := func(path string) bool {
		return slices.ContainsFunc(paths, func(p string) bool {
			p = filepath.ToSlash(filepath.Clean(p))
			return p == "." || path == p || Display(path) == p || strings.HasPrefix(path, p+"/")
		})
	}
	c.Changes = slices.DeleteFunc(c.Changes, func(one Change) bool { return !isSelected(one.Path) })
	c.LeftOut = slices.DeleteFunc(c.LeftOut, func(e *Entry) bool { return !isSelected(string(e.Path)) })
}

// Files returns the changes without folders that other changes imply. A folder remains if it is empty, or if its mode
// changed.
func (c *Comparison) Files() []Change {
	filled := map[string]bool{}
	for _, one := range c.Changes {
		for at := range parents(one.Path) {
			filled[at] = true
		}
	}
	var list []Change
	for _, one := range c.Changes {
		if !one.IsFolder() || one.Before != nil && one.After != nil || !filled[one.Path] {
			list = append(list, one)
		}
	}
	return list
}

// parents yields the folders above a path, the nearest first.
func parents(path string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for i := len(path) - 1; i > 0; i-- {
			if path[i] == '/' && !yield(path[:i]) {
				return
			}
		}
	}
}

// Content returns the content of a file in a snapshot. It fails if the content is longer than limit or was not saved.
func (a *Archive) Content(e *Entry, limit int64) ([]byte, error) {
	if e.Size > limit {
		return nil, fmt.Errorf("%s is longer than %d bytes", Display(string(e.Path)), limit)
	}
	var b bytes.Buffer
	if err := a.pack.writeTo(&b, e.SHA256); err != nil {
		return nil, fmt.Errorf("%s: %w", Display(string(e.Path)), err)
	}
	return b.Bytes(), nil
}

// Present returns the present content of a file of a comparison. It fails if the content is longer than limit, and
// follows no link out of the folder.
func (a *Archive) Present(e *Entry, limit int64) ([]byte, error) {
	root, err := os.OpenRoot(a.o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	f, err := root.OpenFile(filepath.FromSlash(string(e.Path)), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, text.StripPathError(err)
	}
	defer func() { _ = f.Close() }()
	if openInfo, err := f.Stat(); err != nil || !sameFile(openInfo, e.info) {
		return nil, fmt.Errorf("%s changed while it was read; try again", Display(string(e.Path)))
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errors.New("it is too long")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Display(string(e.Path)), err)
	}
	return b, nil
}

// Texts returns the texts of the two sides of a change; the text of a link is its target. ok is false if one of them is
// not text, is too long or was not saved.
func (a *Archive) Texts(c Change) (before, after []byte, ok bool) {
	before, ok = textOf(c.Before, func(e *Entry) ([]byte, error) { return a.Content(e, MaxTextBytes) })
	if !ok {
		return nil, nil, false
	}
	after, ok = textOf(c.After, func(e *Entry) ([]byte, error) { return a.Present(e, MaxTextBytes) })
	return before, after, ok
}

func textOf(e *Entry, read func(*Entry) ([]byte, error)) ([]byte, bool) {
	switch {
	case e == nil || e.isDir():
		return nil, true
	case e.Target != "":
		return []byte(e.Target), true
	}
	b, err := read(e)
	return b, err == nil && fileio.IsText(b)
}

// Patch returns a change as a patch that git apply takes. For a file that is not text it has only one line.
func Patch(c Change, before, after []byte, isText bool) string {
	var b strings.Builder
	from, to := patchName("a/", c.Path), patchName("b/", c.Path)
	fmt.Fprintf(&b, "diff --git %s %s\n", from, to)
	switch {
	case c.Before == nil || c.Before.isDir():
		fmt.Fprintf(&b, "new file mode %s\n", gitMode(c.After))
		from = "/dev/null"
	case c.After == nil || c.After.isDir():
		fmt.Fprintf(&b, "deleted file mode %s\n", gitMode(c.Before))
		to = "/dev/null"
	case gitMode(c.Before) != gitMode(c.After):
		fmt.Fprintf(&b, "old mode %s\nnew mode %s\n", gitMode(c.Before), gitMode(c.After))
	}
	if !isText {
		fmt.Fprintf(&b, "Binary files %s and %s differ\n", from, to)
		return b.String()
	}
	if hunks := Hunks(before, after); hunks != "" {
		fmt.Fprintf(&b, "--- %s\n+++ %s\n%s", from, to, hunks)
	}
	return b.String()
}

func patchName(side, path string) string {
	if display := Display(path); display != path {
		return fmt.Sprintf("%q", side+path)
	}
	return side + path
}

func gitMode(e *Entry) string {
	switch {
	case e == nil:
		return "000000"
	case e.Target != "":
		return "120000"
	case e.Mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// Hunks returns the differences of two texts with three lines of context, as in a unified diff without its header.
func Hunks(before, after []byte) string {
	_, out, _ := strings.Cut(string(diff.Diff("a", before, "b", after)), "+++ b\n")
	return out
}

// CountLines counts the lines that hunks add and remove.
func CountLines(hunks string) (added, removed int) {
	for line := range strings.Lines(hunks) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return added, removed
}
