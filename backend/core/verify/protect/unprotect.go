package protect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// NotProtectedError says that a path that the user wants to unprotect is not protected.
type NotProtectedError struct {
	Path      string
	Protected []string // files that are, at most ten
}

func (n *NotProtectedError) Error() string {
	if len(n.Protected) == 0 {
		return n.Path + " is not protected; the goal protects no file"
	}
	return fmt.Sprintf("%s is not protected; protected are, for example: %s", n.Path, strings.Join(n.Protected, ", "))
}

// Unprotect frees files for the rest of the goal: the agent may change, create or remove them, and checks use the
// present files. Paths are relative to the goal's folder, with slashes. It returns them cleaned. A path without a file
// can be freed before it decides. If one is another file that is not protected, nothing is freed.
func (s *State) Unprotect(paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if s == nil {
		return nil, &NotProtectedError{Path: paths[0]}
	}
	freed := make([]string, 0, len(paths))
	for _, name := range paths {
		name = path.Clean(filepath.ToSlash(name))
		isProtected := slices.ContainsFunc(s.list, func(h storedItem) bool { return h.Path == name })
		if !isProtected && !s.isMissing(name) {
			return nil, &NotProtectedError{name, s.someProtected()}
		}
		freed = append(freed, name)
	}
	s.list = slices.DeleteFunc(s.list, func(h storedItem) bool { return slices.Contains(freed, h.Path) })
	s.freed = append(s.freed, freed...)
	return freed, s.save()
}

// isMissing reports whether a path of the goal's folder has no file.
func (s *State) isMissing(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, filepath.FromSlash(name)))
	return filepath.IsLocal(name) && errors.Is(err, fs.ErrNotExist)
}

// someProtected returns some protected files for an error message.
func (s *State) someProtected() []string {
	const maxNames = 10
	var names []string
	for _, h := range s.list {
		if h.Kind != KindForbiddenNew && !slices.Contains(names, h.Path) && len(names) < maxNames {
			names = append(names, h.Path)
		}
	}
	return names
}
