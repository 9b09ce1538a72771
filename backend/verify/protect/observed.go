package protect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/ignore"
	"goalpost/backend/text"
	"goalpost/backend/verify/inputs"
)

// Observation is what a check did before the first turn; nil where nobody could observe it.
func (g *State) Observation(check int) *goal.Observation {
	if g == nil || check < 0 || check >= len(g.observed) {
		return nil
	}
	return g.observed[check]
}

// IsFree reports whether the user lets a file change: by --no-protect, by unprotecting it, or by accepting its present
// version.
func (g *State) IsFree(file string) bool {
	if g == nil {
		return false
	}
	accepted := func(h protectedItem) bool { return h.Accepted && h.Path == file }
	return g.without.MatchesAncestor(file) || slices.Contains(g.freed, file) || slices.ContainsFunc(g.items(), accepted)
}

// IsCompared reports whether what decides in a file is compared for a check, in the file's own way.
func (g *State) IsCompared(check int, file string) bool {
	return g != nil && slices.ContainsFunc(g.items(), func(h protectedItem) bool {
		return h.Kind != KindForbiddenNew && h.Path == file && !h.Missing && slices.Contains(h.Checks, check)
	})
}

func (g *State) items() []protectedItem {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.list)
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
	if !ok {
		return false
	}
	before, after := decidingPart(part, was), decidingPart(part, is)
	return before == after || isAllowedGrowth(part, before, after)
}

// FindObserved lists what a goal with these checks would protect after a pre-flight with these observations.
func FindObserved(ctx context.Context, o Options) ([]Protected, error) {
	found, err := Find(ctx, o.Dir, o.Criterion, o.Protect, o.NoProtect)
	if err != nil {
		return nil, err
	}
	free, err := ignore.NewGlobs(o.NoProtect)
	if err != nil {
		return nil, err
	}
	found = withoutUsed(found, o.Observations)
	return append(found, observedJudges(found, o, free)...), nil
}

// withoutUsed removes the scripts that a command names and that were seen to run: how the check uses them is known.
func withoutUsed(found []Protected, observed []*goal.Observation) (list []Protected) {
	for _, p := range found {
		if p.Why != reasonChosen {
			p.Checks = slices.DeleteFunc(p.Checks, func(check int) bool {
				return check < len(observed) && observed[check] != nil && observed[check].Incomplete == "" &&
					slices.ContainsFunc(observed[check].Files, func(u goal.UsedFile) bool { return u.Path == p.Path })
			})
		}
		if len(p.Checks) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// observedJudges returns the files that decided a check in pre-flight and that are not found by reading its command
// line, without the free ones.
func observedJudges(found []Protected, o Options, free ignore.Globs) []Protected {
	known := map[string]bool{}
	for _, p := range found {
		known[p.Path] = true
	}
	var list []Protected
	for check, seen := range o.Observations {
		if seen == nil {
			continue
		}
		for _, u := range seen.Files {
			if u.Role == goal.RoleMakefile && lacksTarget(o, check, u.Path) {
				continue
			}
			if !inputs.IsJudge(seen, u) || known[u.Path] || inputs.IsInstalled(u.Path) || free.MatchesAncestor(u.Path) {
				continue
			}
			if i := slices.IndexFunc(list, func(p Protected) bool { return p.Path == u.Path }); i >= 0 {
				if !slices.Contains(list[i].Checks, check) {
					list[i].Checks = append(list[i].Checks, check)
				}
				continue
			}
			p := Protected{
				Path: u.Path, Kind: KindLocked, Why: "the check uses it as its " + string(u.Role), Checks: []int{check},
			}
			if part := settingsParts[path.Base(u.Path)]; part != "" && u.Role != goal.RoleMakefile {
				p.Kind, p.Part = KindMonitored, part
			}
			list = append(list, p)
		}
	}
	return list
}

// lacksTarget reports whether the check's command asks a makefile for a target that the makefile does not have.
func lacksTarget(o Options, check int, file string) bool {
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return false // the check says so itself
	}
	defer func() { _ = root.Close() }()
	text, _, err := fileio.Read(root, file, maxPartBytes)
	return err == nil && inputs.LacksTarget(o.Criterion.Checks[check].Command, string(text))
}

// Original is what a file was at the start.
type Original struct {
	Content []byte
	Mode    fs.FileMode
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
	for _, c := range changes {
		h := protectedItem{Protected: Protected{
			Path: c.Path, Kind: KindForbiddenNew, Why: c.Reason, Checks: []int{check},
		}}
		if was, ok := original(c.Path); ok && c.Change != "new" {
			h.Kind, h.Part, h.Strict = KindMonitored, "", true
			if err := g.keep(&h, was.Content, was.Mode); err != nil {
				return fmt.Errorf("keeping what %s was: %w", c.Path, err)
			}
		}
		known := slices.ContainsFunc(g.list, func(old protectedItem) bool {
			return old.Path == h.Path && old.Kind == h.Kind && old.Part == h.Part && slices.Contains(old.Checks, check)
		})
		if !known {
			g.list = append(g.list, h)
		}
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

// keep stores the content that an item has.
func (g *State) keep(h *protectedItem, content []byte, mode fs.FileMode) error {
	h.SHA256, h.Mode = fileio.Hash(content), mode
	copied := g.copy(*h)
	if _, err := os.Lstat(copied); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return text.StripPathError(err)
	}
	// Nobody writes it again, so that a run of the app cannot by mistake.
	return fileio.WriteFile(copied, content, mode.Perm()&^0o222|0o400)
}
