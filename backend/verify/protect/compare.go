package protect

import (
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

// compareFile looks at one file. A file whose size and time of change are those of the last look is not read again.
func (g *State) compareFile(root *os.Root, h protectedItem) (mismatch, bool) {
	info, err := root.Stat(h.Path)
	key := h.Path + "\x00" + h.Part
	if err == nil && g.ok[key] == (statStamp{info.Size(), fileio.ChangeTime(info)}) && fileio.ChangeTime(info) != 0 {
		return mismatch{}, true
	}
	d := mismatch{protectedItem: h, text: g.difference(root, h)}
	if d.text == "" && info != nil && fileio.IsStable(info) && h.Kind != KindForbiddenNew && len(h.Files) == 0 {
		g.ok[key] = statStamp{info.Size(), fileio.ChangeTime(info)}
	}
	return d, d.text == ""
}

// difference describes how a file is not as it was, "" if it is.
func (g *State) difference(root *os.Root, h protectedItem) string {
	if h.Kind == KindForbiddenNew {
		if _, err := root.Lstat(h.Path); err != nil {
			return ""
		}
		appeared := fmt.Sprintf("%s has appeared: %s\n", h.Path, h.Why)
		if is, _, err := protectedContent(root, h.Path); err == nil && fileio.IsText(is) {
			appeared += workspace.UnifiedDiff(h.Path, nil, is, false)
		}
		return appeared
	}
	is, mode, err := h.content(root)
	link := ""
	if h.Strict {
		link = firstLink(root, h.Path)
	}
	was, wasErr := g.originalContent(h)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s cannot be read: %v\n", h.Path, err)
	case h.Missing && h.Part == "" && err == nil:
		return h.Path + " has appeared\n"
	case link != "" && err == nil:
		return fmt.Sprintf("%s is a link now, on the way to %s\n", link, h.Path)
	case h.Strict && err == nil && (h.Mode&0o111 == 0) != (mode&0o111 == 0):
		return fmt.Sprintf("%s: mode %s, was %s\n", h.Path, mode, h.Mode)
	case wasErr != nil:
		return fmt.Sprintf("what %s was at the start is lost: %v\n", h.Path, wasErr)
	}
	before, after, same := compareParts(h.Part, was, is)
	if same {
		return ""
	}
	name := strings.TrimSuffix(h.Path+" ("+h.Part+")", " ()")
	if len(h.Files) > 0 {
		name += " (installed programs: accept them, or install the same again)"
	}
	return workspace.UnifiedDiff(name, []byte(before), []byte(after), err != nil)
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

// Tampered says what of that which decides a check is not as it was; -1 means any check, without installed programs:
// the agent may install the same again.
func (g *State) Tampered(check int) (diff string, err error) {
	if g == nil {
		return "", nil
	}
	found, err := g.diff(check)
	var b strings.Builder
	for _, d := range found {
		if check >= 0 || len(d.Files) == 0 {
			b.WriteString(d.text)
		}
	}
	return string(text.TruncateMiddle([]byte(b.String()), MaxDiffBytes)), err
}

// presentSum is the SHA-256 of what lies at the path now, or of the description where nothing can be read.
func (d mismatch) presentSum(root *os.Root) string {
	content, _, err := d.content(root)
	if err != nil {
		content = []byte(d.text)
	}
	return fileio.Hash(content)
}
