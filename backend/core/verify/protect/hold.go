package protect

import (
	"fmt"
	"slices"

	"goalpost/backend/core/verify/inputs"
	"goalpost/backend/domain/goal"
)

// IsFree reports whether the user allows a file to change: with --protect '!PATTERN', by unprotecting it, or by
// accepting its present version.
func (s *State) IsFree(file string) bool {
	if s == nil {
		return false
	}
	accepted := func(h storedItem) bool {
		return h.Accepted && (h.Path == file || slices.Contains(h.Files, file))
	}
	return s.without.MatchesAncestor(file) || slices.Contains(s.freed, file) || slices.ContainsFunc(s.items(), accepted)
}

// IsCompared reports whether a file is already compared with its protected version for a check.
func (s *State) IsCompared(check int, file string) bool {
	return s != nil && slices.ContainsFunc(s.items(), func(h storedItem) bool {
		return h.Kind != KindForbiddenNew && h.Path == file && !h.Missing && slices.Contains(h.Checks, check)
	})
}

// add adds an item that is not protected for the same check yet.
func (s *State) add(h storedItem) {
	isStored := slices.ContainsFunc(s.list, func(old storedItem) bool {
		return old.Path == h.Path && old.Kind == h.Kind && slices.Equal(old.Files, h.Files) &&
			slices.Contains(old.Checks, h.Checks[0])
	})
	if !isStored {
		s.list = append(s.list, h)
	}
}

// Hold protects from now on what made a verdict tampered, so that the user can restore or accept it. original
// returns a file as it was at the start; a file that it does not know can only be removed.
func (s *State) Hold(
	check int, changes []goal.FileChange, original func(file string) (Original, bool),
) error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	trees, starts := map[string]*storedItem{}, map[string]string{}
	for _, c := range changes {
		was, ok := original(c.Path)
		if at := inputs.InstalledTree(c.Path); at != "" && c.Change != "new" {
			if trees[at] == nil {
				trees[at] = &storedItem{Item: Item{Path: at, Kind: KindMonitored, Why: c.Reason, Checks: []int{check}}}
			}
			trees[at].Files = append(trees[at].Files, c.Path)
			starts[at] += treeLine(c.Path, was.SHA256)
			continue
		}
		h := storedItem{Item: Item{
			Path: c.Path, Kind: KindForbiddenNew, Why: c.Reason, Checks: []int{check},
		}}
		if ok && c.Change != "new" {
			h.Kind, h.Strict = KindMonitored, true
			if err := s.store(&h, was.Content, was.Mode); err != nil {
				return fmt.Errorf("copying %s as it was at the start: %w", c.Path, err)
			}
		}
		s.add(h)
	}
	for at, h := range trees {
		if err := s.store(h, []byte(starts[at]), 0o600); err != nil {
			return fmt.Errorf("recording %s as it was at the start: %w", at, err)
		}
		s.add(*h)
	}
	return s.save()
}
