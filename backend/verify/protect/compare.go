package protect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"goalpost/backend/fileio"
	"goalpost/backend/text"
	"goalpost/backend/verify/workspace"
)

// diff says what is not as it was of what decides a check; -1 means any check.
func (g *State) diff(check int) ([]mismatch, error) {
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []mismatch
	for _, h := range g.list {
		if check >= 0 && !slices.Contains(h.Checks, check) {
			continue
		}
		if d, same := g.compareFile(root, h); !same {
			d.sum = d.presentSum(root)
			found = append(found, d)
		}
	}
	return found, nil
}

// mismatch is one thing that is not as it was.
type mismatch struct {
	protectedItem
	text string // a diff
	sum  string // of what lies there now
}

// compareFile looks at one file. A file whose size and time of change are those of
// the last look is not read again.
func (g *State) compareFile(root *os.Root, h protectedItem) (mismatch, bool) {
	info, err := root.Stat(h.Path)
	if err == nil && g.ok[h.Path+"\x00"+h.Part] == (statStamp{info.Size(), fileio.ChangeTime(info)}) &&
		fileio.ChangeTime(info) != 0 {
		return mismatch{}, true
	}
	d := mismatch{protectedItem: h}
	if h.Kind == KindForbiddenNew {
		if _, err := root.Lstat(h.Path); err != nil {
			return d, true
		}
		d.text = fmt.Sprintf("%s has appeared: %s\n", h.Path, h.Why)
		return d, false
	}
	is, mode, err := protectedContent(root, h.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.text = fmt.Sprintf("%s cannot be read: %v\n", h.Path, err)
		return d, false
	}
	if h.Missing && h.Part == "" && err == nil {
		d.text = h.Path + " has appeared\n"
		return d, false
	}
	if h.Strict && err == nil {
		if link := firstLink(root, h.Path); link != "" {
			d.text = fmt.Sprintf("%s is a link now, on the way to %s\n", link, h.Path)
			return d, false
		}
		if (h.Mode&0o111 == 0) != (mode&0o111 == 0) {
			d.text = fmt.Sprintf("%s: mode %s, was %s\n", h.Path, mode, h.Mode)
			return d, false
		}
	}
	was, wasErr := g.originalContent(h)
	if wasErr != nil {
		d.text = fmt.Sprintf("what %s was at the start is lost: %v\n", h.Path, wasErr)
		return d, false
	}
	if !bytes.Equal(was, is) {
		before, after := decidingPart(h.Part, was), decidingPart(h.Part, is)
		if before != after && !isAllowedGrowth(h.Part, before, after) {
			name := strings.TrimSuffix(h.Path+" ("+h.Part+")", " ()")
			d.text = workspace.UnifiedDiff(name, []byte(before), []byte(after), err != nil)
			return d, false
		}
	}
	if info != nil && fileio.IsStable(info) {
		g.ok[h.Path+"\x00"+h.Part] = statStamp{info.Size(), fileio.ChangeTime(info)}
	}
	return d, true
}

// originalContent is what a file held at the start.
func (g *State) originalContent(h protectedItem) ([]byte, error) {
	if h.Missing {
		return nil, nil
	}
	b, err := os.ReadFile(g.copy(h))
	if err != nil {
		return nil, fmt.Errorf("the copy: %w", text.StripPathError(err))
	}
	if fileio.Hash(b) != h.SHA256 {
		return nil, errors.New("the copy is damaged")
	}
	return b, nil
}

// Tampered says what of that which decides a check is not as it was; -1 means any check.
func (g *State) Tampered(check int) (diff string, err error) {
	if g == nil {
		return "", nil
	}
	found, err := g.diff(check)
	var b strings.Builder
	for _, d := range found {
		b.WriteString(d.text)
	}
	return string(text.TruncateMiddle([]byte(b.String()), MaxDiffBytes)), err
}

// presentSum is the SHA-256 of what lies at the path now, or of the description where nothing can be read.
func (d mismatch) presentSum(root *os.Root) string {
	content, _, err := protectedContent(root, d.Path)
	if err != nil {
		content = []byte(d.text)
	}
	return fileio.Hash(content)
}
