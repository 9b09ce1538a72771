package protect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/text"
)

// Change is a protected file that differs from its protected version.
type Change struct {
	Path string
	Why  string // why it decides about the goal
	Diff string // unified, shortened
	// SHA256 is the hash of the present content, or of Diff if there is no content. Accept takes it.
	SHA256 string
}

// Changes lists the changed files for the user. Accept refuses versions that differ from the ones listed last.
func (s *State) Changes(ctx context.Context) ([]Change, error) {
	if s == nil {
		return nil, nil
	}
	found, err := s.findChanges(-1)
	if err != nil {
		return nil, err
	}
	var list []Change
	for _, d := range found {
		diff := string(text.TruncateMiddle([]byte(d.text), MaxDiffBytes))
		if i := slices.IndexFunc(list, func(c Change) bool { return c.Path == d.Path }); i >= 0 { // for another check
			list[i].Diff += diff
			continue
		}
		list = append(list, Change{
			Path:   d.Path,
			Why:    d.Why,
			Diff:   diff,
			SHA256: d.sum,
		})
	}
	return list, s.saveShown(found)
}

// StaleChangeError says that a file changed again after the user was shown its change.
type StaleChangeError struct{ Path string }

func (s *StaleChangeError) Error() string {
	return s.Path + " has changed again since its change was shown"
}

// UnchangedError says that a file whose change was chosen is not a changed protected file.
type UnchangedError struct {
	Path    string
	Changed []string // those that are
}

func (u *UnchangedError) Error() string {
	if len(u.Changed) == 0 {
		return u.Path + " is not a changed protected file; no protected file is changed"
	}
	return u.Path + " is not a changed protected file; changed are: " + strings.Join(u.Changed, ", ")
}

// chooseChanges returns the changes of the chosen versions, or of all files if none are chosen. A chosen version
// without a hash means the one that the user was shown last.
func (s *State) chooseChanges(versions []Version) ([]mismatch, error) {
	changes, err := s.findChanges(-1)
	if err != nil || len(versions) == 0 { // all of them, as they are now
		return changes, err
	}
	paths := pathsOf(changes)
	hashes, err := s.lastShown()
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if !slices.Contains(paths, v.Path) {
			return nil, &UnchangedError{v.Path, paths}
		}
		want := v.SHA256
		if want == "" {
			want = hashes[v.Path]
		}
		i := slices.IndexFunc(changes, func(d mismatch) bool { return d.Path == v.Path })
		if want != "" && want != changes[i].sum {
			return nil, &StaleChangeError{v.Path}
		}
	}
	return slices.DeleteFunc(changes, func(d mismatch) bool {
		return !slices.ContainsFunc(versions, func(v Version) bool { return v.Path == d.Path })
	}), nil
}

// shownChange is a change as the user was shown it last.
type shownChange struct {
	Path string `json:"path"`
	Sum  string `json:"sum"` // of the content, or of the description if there is no content
}

// shownPath is the file in the private folder that records which changes the user was shown last.
func (s *State) shownPath() string { return filepath.Join(s.private, "shown.json") }

// lastShown returns the hash of the last change of each file that the user was shown.
func (s *State) lastShown() (map[string]string, error) {
	var list []shownChange
	if err := fileio.ReadJSON(s.shownPath(), &list); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	sums := map[string]string{}
	for _, c := range list {
		sums[c.Path] = c.Sum
	}
	return sums, nil
}

func (s *State) saveShown(found []mismatch) error {
	list := make([]shownChange, 0, len(found))
	for _, d := range found {
		list = append(list, shownChange{d.Path, d.sum})
	}
	return fileio.WriteJSON(s.shownPath(), list)
}

func (s *State) forgetShown() error {
	if err := os.Remove(s.shownPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("deleting the list of shown changes: %w", text.StripPathError(err))
	}
	return nil
}

// RecordShown stores the present changes when the goal pauses for them and the user sees them. It returns their files.
func (s *State) RecordShown(ctx context.Context) (files []goal.DecidingFile, err error) {
	if s == nil {
		return nil, nil
	}
	found, err := s.findChanges(-1)
	if err != nil {
		return nil, err
	}
	for _, d := range found {
		isListed := slices.ContainsFunc(files, func(f goal.DecidingFile) bool { return f.Path == d.Path })
		if !isListed { // another check may use it, too
			files = append(files, goal.DecidingFile{Path: d.Path, Why: d.Why})
		}
	}
	return files, s.saveShown(found)
}

// ChangedFiles names the protected files that have changed.
func (s *State) ChangedFiles() ([]string, error) {
	if s == nil {
		return nil, nil
	}
	found, err := s.findChanges(-1)
	return pathsOf(found), err
}
