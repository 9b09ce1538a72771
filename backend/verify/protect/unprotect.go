package protect

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"goalpost/backend/verify/protect/detect"
)

// Files lists what is protected.
func (p *Protection) Files() []detect.Protected {
	if p == nil {
		return nil
	}
	return p.guard.Protected()
}

// NotProtectedError says that a path that the user wants to free is not protected.
type NotProtectedError struct {
	Path      string
	Protected []string // files that are, at most ten
}

func (e *NotProtectedError) Error() string {
	if len(e.Protected) == 0 {
		return e.Path + " is not protected; the goal protects no file"
	}
	return fmt.Sprintf("%s is not protected; protected are, for example: %s", e.Path, strings.Join(e.Protected, ", "))
}

// Unprotect frees files for the rest of the goal: the agent may change, create or remove them, and checks use what is
// there. Paths are relative to the goal's folder, with slashes. It returns them cleaned; if one is not protected,
// nothing is freed.
func (p *Protection) Unprotect(paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	if p == nil {
		return nil, &NotProtectedError{Path: paths[0]}
	}
	g := p.guard
	freed := make([]string, 0, len(paths))
	for _, name := range paths {
		name = path.Clean(filepath.ToSlash(name))
		if !slices.ContainsFunc(g.list, func(h protectedItem) bool { return h.governs(name) }) {
			return nil, &NotProtectedError{name, g.someProtected()}
		}
		freed = append(freed, name)
	}
	for _, name := range freed {
		g.list = slices.DeleteFunc(g.list, func(h protectedItem) bool {
			return h.Kind != detect.KindForbiddenNew && h.governs(name)
		})
		for i := range g.list {
			if h := &g.list[i]; h.governs(name) && !slices.Contains(h.Was, name) {
				h.Was = append(h.Was, name)
			}
		}
	}
	g.freed = append(g.freed, freed...)
	return freed, g.save()
}

// governs reports whether an item protects the file with this name.
func (h protectedItem) governs(name string) bool {
	if h.Kind != detect.KindForbiddenNew || h.Part == detect.AnyPart {
		return h.Path == name
	}
	pattern, err := parseForbidden(h.Path)
	return err == nil && pattern.matches(name)
}

// someProtected names protected files for an error message.
func (g *State) someProtected() []string {
	const most = 10
	var names []string
	for _, h := range g.list {
		if h.Kind != detect.KindForbiddenNew && !slices.Contains(names, h.Path) && len(names) < most {
			names = append(names, h.Path)
		}
	}
	return names
}
