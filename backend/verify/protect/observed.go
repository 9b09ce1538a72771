package protect

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/verify/inputs"
)

// Observation is what a check did before the first turn; nil where nobody could observe it.
func (g *State) Observation(check int) *goal.Observation {
	if g == nil {
		return nil
	}
	return Options{Observations: g.observed}.observation(check)
}

// IsFree reports whether the user lets a file change: by --no-protect, by unprotecting it, or by accepting its present
// version.
func (g *State) IsFree(file string) bool {
	if g == nil {
		return false
	}
	accepted := func(h protectedItem) bool {
		return h.Accepted && (h.Path == file || slices.Contains(h.Files, file))
	}
	return g.without.MatchesAncestor(file) || slices.Contains(g.freed, file) || slices.ContainsFunc(g.items(), accepted)
}

// IsCompared reports whether what decides in a file is compared for a check, in the file's own way.
func (g *State) IsCompared(check int, file string) bool {
	return g != nil && slices.ContainsFunc(g.items(), func(h protectedItem) bool {
		return h.Kind != KindForbiddenNew && h.Path == file && !h.Missing && slices.Contains(h.Checks, check)
	})
}

// maxPartBytes is the longest file of which a part is compared, in bytes.
const maxPartBytes = 4 << 20

// settingsParts are the parts that decide of settings files with many uses.
var settingsParts = map[string]string{
	"package.json": "scripts", "pyproject.toml": "pytest", "setup.cfg": "pytest", "tox.ini": "pytest",
	"Cargo.toml": "cargo", "go.mod": "replace", "pom.xml": "maven", "build.gradle": "gradle", "build.gradle.kts": "gradle",
}

// SameDecision reports whether two texts of a settings file decide alike. Of other files all of it decides.
func SameDecision(file string, was, is []byte) bool {
	part, ok := settingsParts[path.Base(file)]
	if ok {
		_, _, ok = compareParts(part, was, is)
	}
	return ok
}

// add adds a thing that is not protected for the same check yet.
func (g *State) add(h protectedItem) {
	known := slices.ContainsFunc(g.list, func(old protectedItem) bool {
		return old.Path == h.Path && old.Kind == h.Kind && old.Part == h.Part && slices.Equal(old.Files, h.Files) &&
			slices.Contains(old.Checks, h.Checks[0])
	})
	if !known {
		g.list = append(g.list, h)
	}
}

// Hold protects from now on what made a verdict tampered, so that the user can put it back or accept it. original gives
// what a file was at the start; where it gives nothing, the file can only be taken away.
func (g *State) Hold(
	check int, changes []goal.FileChange, original func(file string) (Original, bool),
) error {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	trees, starts := map[string]*protectedItem{}, map[string]string{}
	for _, c := range changes {
		was, ok := original(c.Path)
		if at := inputs.InstalledTree(c.Path); at != "" && c.Change != "new" {
			if trees[at] == nil {
				trees[at] = &protectedItem{Protected: Protected{Path: at, Kind: KindMonitored, Why: c.Reason, Checks: []int{check}}}
			}
			trees[at].Files = append(trees[at].Files, c.Path)
			starts[at] += treeLine(c.Path, was.SHA256)
			continue
		}
		h := protectedItem{Protected: Protected{
			Path: c.Path, Kind: KindForbiddenNew, Why: c.Reason, Checks: []int{check},
		}}
		if ok && c.Change != "new" {
			h.Kind, h.Part, h.Strict = KindMonitored, "", true
			if err := g.keep(&h, was.Content, was.Mode); err != nil {
				return fmt.Errorf("keeping what %s was: %w", c.Path, err)
			}
		}
		g.add(h)
	}
	for at, h := range trees {
		if err := g.keep(h, []byte(starts[at]), 0o600); err != nil {
			return fmt.Errorf("keeping what %s was: %w", at, err)
		}
		g.add(*h)
	}
	return g.save()
}

// firstLink is the first part of a path that is a symbolic link, "" if none is.
func firstLink(root *os.Root, file string) string {
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
