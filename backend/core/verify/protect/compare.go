package protect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"goalpost/backend/core/verify/baseline"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// findChanges returns the changes of what decides a check; -1 means any check.
func (s *State) findChanges(check int) ([]mismatch, error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []mismatch
	for _, h := range s.list {
		if check >= 0 && !slices.Contains(h.Checks, check) {
			continue
		}
		if d, same := s.compareFile(root, h); !same {
			d.sum = d.presentSum(root)
			found = append(found, d)
		}
	}
	return found, nil
}

// mismatch is a protected item that has changed.
type mismatch struct {
	storedItem
	text string // a diff, or a sentence
	sum  string // of its present content
}

// compareFile compares one file. It does not read a file again whose size and change time are the same as last
// time.
func (s *State) compareFile(root *os.Root, h storedItem) (mismatch, bool) {
	info, err := root.Stat(h.Path)
	if err == nil && fileio.ChangeTime(info) != 0 &&
		s.unchanged[h.Path] == (statStamp{info.Size(), fileio.ChangeTime(info)}) {
		return mismatch{}, true
	}
	d := mismatch{storedItem: h, text: s.difference(root, h)}
	if d.text == "" && info != nil && fileio.IsStable(info) && h.Kind != KindForbiddenNew && len(h.Files) == 0 {
		s.unchanged[h.Path] = statStamp{info.Size(), fileio.ChangeTime(info)}
	}
	return d, d.text == ""
}

// difference describes how a file has changed, "" if it has not.
func (s *State) difference(root *os.Root, h storedItem) string {
	if h.Kind == KindForbiddenNew {
		if _, err := root.Lstat(h.Path); err != nil {
			return ""
		}
		appeared := fmt.Sprintf("%s has appeared: %s\n", h.Path, h.Why)
		if is, _, err := readContent(root, h.Path); err == nil && fileio.IsText(is) {
			appeared += baseline.UnifiedDiff(h.Path, nil, is, false)
		}
		return appeared
	}
	is, mode, err := h.currentContent(root)
	link := ""
	if h.Strict {
		link = findLink(root, h.Path)
	}
	was, wasErr := s.originalContent(h)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Sprintf("%s cannot be read: %v\n", h.Path, err)
	case h.Missing && err == nil:
		return h.Path + " has appeared\n"
	case link != "" && err == nil:
		return fmt.Sprintf("%s is a link now, on the way to %s\n", link, h.Path)
	case h.Strict && err == nil && (h.Mode&0o111 == 0) != (mode&0o111 == 0):
		return fmt.Sprintf("%s: mode %s, was %s\n", h.Path, mode, h.Mode)
	case wasErr != nil:
		return fmt.Sprintf("the copy of %s from the start is lost: %v\n", h.Path, wasErr)
	}
	if bytes.Equal(was, is) {
		return ""
	}
	name := h.Path
	if len(h.Files) > 0 {
		name += " (installed programs: accept them, or install the same versions again)"
	}
	return baseline.UnifiedDiff(name, was, is, err != nil)
}

// originalContent returns a file's content at the start.
func (s *State) originalContent(h storedItem) ([]byte, error) {
	if h.Missing {
		return nil, nil
	}
	b, err := os.ReadFile(s.copyPath(h))
	if err != nil {
		return nil, fmt.Errorf("the copy: %w", text.StripPathError(err))
	}
	if fileio.Hash(b) != h.SHA256 {
		return nil, errors.New("the copy is damaged")
	}
	return b, nil
}

// Tampered returns the changes of what decides a check. With -1 it means any check, and leaves out installed
// programs, because the agent may install the same versions again.
func (s *State) Tampered(check int) (diff string, err error) {
	if s == nil {
		return "", nil
	}
	found, err := s.findChanges(check)
	var b strings.Builder
	for _, d := range found {
		if check >= 0 || len(d.Files) == 0 {
			b.WriteString(d.text)
		}
	}
	return string(text.TruncateMiddle([]byte(b.String()), MaxDiffBytes)), err
}

// presentSum returns the hash of the present content, or of the description if nothing can be read.
func (m mismatch) presentSum(root *os.Root) string {
	content, _, err := m.currentContent(root)
	if err != nil {
		content = []byte(m.text)
	}
	return fileio.Hash(content)
}

// findLink returns the first part of a path that is a symbolic link, "" if there is none.
func findLink(root *os.Root, file string) string {
	parts := strings.Split(file, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		info, err := root.Lstat(at)
		if err != nil {
			return ""
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return at
		}
	}
	return ""
}

func pathsOf(changes []mismatch) []string {
	files := make([]string, 0, len(changes))
	for _, d := range changes {
		files = append(files, d.Path)
	}
	slices.Sort(files)
	return slices.Compact(files)
}
