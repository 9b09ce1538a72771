package protect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"goalpost/backend/lib/text"
)

// Version identifies the content of a protected file by its hash; "" if the file was removed.
type Version struct{ Path, SHA256 string }

func (v Version) String() string {
	if v.SHA256 == "" {
		return v.Path + " (gone)"
	}
	return v.Path + " (sha256 " + v.SHA256 + ")"
}

// Accept makes the present versions of the chosen files, or of all changed files if none are chosen, the protected
// ones, and returns them. If a file changed again after the user saw its change, Accept returns a StaleChangeError
// and accepts nothing.
func (s *State) Accept(ctx context.Context, versions ...Version) ([]Version, error) {
	if s == nil {
		return nil, nil
	}
	changes, err := s.chooseChanges(versions)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	files := pathsOf(changes)
	total := int64(0)
	for i := range s.list {
		h := &s.list[i]
		if !slices.Contains(files, h.Path) {
			continue
		}
		if h.Kind == KindForbiddenNew {
			h.Kind = KindMonitored
		}
		h.Missing, h.SHA256, h.Mode, h.Accepted = false, "", 0, true
		if err := s.recordItem(root, h, &total); err != nil {
			return nil, err
		}
	}
	accepted := make([]Version, 0, len(files))
	for _, f := range files {
		at := slices.IndexFunc(s.list, func(h storedItem) bool { return h.Path == f })
		accepted = append(accepted, Version{f, s.list[at].SHA256})
	}
	return accepted, errors.Join(s.save(), s.forgetShown())
}
