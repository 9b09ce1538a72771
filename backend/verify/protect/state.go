package protect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"goalpost/backend/goal"
	"goalpost/backend/ignore"
	"goalpost/backend/process"
	"goalpost/backend/verify/fileio"
	"goalpost/backend/verify/protect/detect"
	"goalpost/backend/verify/summary"
	"goalpost/backend/verify/workspace"
)

// Options say what of a folder must not change, and where its copies are kept.
type Options struct {
	detect.Options
	Private string // where copies are kept, out of the goal's reach
	// Tests says how many tests the gates' runners ran before the first turn, by check.
	Tests []int
	// Observations are what the checks did before the first turn, by check.
	Observations []*goal.Observation
}

// maxProtectedBytes is how much the copies of protected files may be together, in bytes.
const maxProtectedBytes = 256 << 20

// State knows what the protected files were at the start, from copies in a
// private folder.
type State struct {
	dir, private string
	list         []protectedItem
	patterns     []string // of without
	without      ignore.Globs
	shut         []string // folders that could not be looked into

	appears  []forbiddenFile     // in the order of list
	expected []summary.Expected  // of the runners that checks call
	tests    []int               // how many ran before the start, by check; nil where nobody has counted
	observed []*goal.Observation // what the checks did before the start, by check; nil where nobody could observe it
	freed    []string            // files that the user unprotected

	mu    sync.Mutex
	ok    map[string]statStamp     // files that were the same when last looked at
	plain map[string]statStamp     // files that did not hold the text that one may not, by path and text
	sums  map[string]installedHash // of installed files
	here  workspace.NameIndex      // what a pattern means, and the folders that it may be in
}

// Protected lists what must not change.
func (g *State) Protected() []detect.Protected {
	if g == nil {
		return nil
	}
	items := g.items()
	list := make([]detect.Protected, 0, len(items))
	for _, h := range items {
		list = append(list, h.Protected)
	}
	return list
}

// Summaries are what must be heard when a check passes, and how many tests ran before the start.
func (g *State) Summaries(check int) (list []summary.Expected, before int) {
	for _, k := range g.expected {
		if k.Check == check {
			list = append(list, k)
		}
	}
	if check >= 0 && check < len(g.tests) {
		before = g.tests[check]
	}
	return list, before
}

// newGuard is a guard of what list says.
func newGuard(dir, private string, list []protectedItem, noProtect, shut []string) (*State, error) {
	g := &State{
		dir:     dir,
		private: private,
		list:    list,
		shut:    shut,
		ok:      map[string]statStamp{},
		plain:   map[string]statStamp{},
		sums:    map[string]installedHash{},

		patterns: noProtect,
	}
	var err error
	if g.without, err = ignore.NewGlobs(noProtect); err != nil {
		return nil, err
	}
	for _, h := range list {
		if h.Kind != detect.KindForbiddenNew {
			continue
		}
		a, err := parseForbidden(h.Path)
		if err != nil {
			return nil, err
		}
		g.appears = append(g.appears, a)
	}
	g.here.Want = func(path string) bool {
		return slices.ContainsFunc(g.appears, func(a forbiddenFile) bool { return a.matches(path) })
	}
	return g, nil
}

// protectedItem is one protected thing with what it was.
type protectedItem struct {
	detect.Protected
	Missing bool        `json:"missing,omitempty"` // it did not exist
	SHA256  string      `json:"sha256,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Was     []string    `json:"was,omitempty"` // of Appears: what was there already
	// Strict also compares whether it can be executed, and whether a link is on the way to it.
	Strict   bool `json:"strict,omitempty"`
	Accepted bool `json:"accepted,omitempty"` // by the user, as it is now
}

// copy is the name of the copy in the private folder. The mode is part of it:
// what the sandbox binds has the mode of the copy.
func (h protectedItem) copy() string { return fmt.Sprintf("%s-%o", h.SHA256, h.Mode.Perm()) }

// statStamp says when a file was seen; a file with the same is the same.
type statStamp struct{ size, ctime int64 }

// protectedJSON is a guard on disk.
type protectedJSON struct {
	List              []protectedItem    `json:"list"`
	Without           []string           `json:"without,omitempty"`
	Shut              []string           `json:"shut,omitempty"`
	ExpectedSummaries []summary.Expected `json:"heard,omitempty"`
	Tests             []int              `json:"tests,omitempty"`
	Freed             []string           `json:"freed,omitempty"`
	// Observed is missing in what older versions stored.
	Observed []*goal.Observation `json:"observed,omitempty"`
}

// Record copies what is protected. What was frozen before, nil for nothing,
// stays as it was then.
func Record(ctx context.Context, o Options, frozen *State) (*State, error) {
	finder, err := detect.Scan(ctx, o.Options)
	if err != nil {
		return nil, err
	}
	found, err := finder.List()
	if err != nil {
		return nil, err
	}
	found = withoutGuesses(found, o.Observations)
	var list []protectedItem
	if frozen != nil {
		list = frozen.list
	} else {
		free, err := ignore.NewGlobs(o.NoProtect)
		if err != nil {
			return nil, err
		}
		found = append(found, observedJudges(found, o, free)...)
	}
	old := len(list)
	for _, p := range found {
		if !frozen.isRecorded(p) {
			list = append(list, protectedItem{Protected: p})
		}
	}
	g, err := newGuard(o.Dir, o.Private, list, o.NoProtect, nil)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", fileio.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	if err := os.MkdirAll(filepath.Join(o.Private, "held"), 0o700); err != nil {
		return nil, fmt.Errorf("keeping protected files: %w", err)
	}
	if len(g.appears) > 0 {
		if err := g.here.Scan(ctx, o.Dir); err != nil {
			return nil, err
		}
	}
	if frozen != nil {
		g.shut, g.expected, g.tests = frozen.shut, frozen.expected, frozen.tests
		g.observed, g.freed = frozen.observed, frozen.freed
	} else {
		g.shut, g.expected, g.tests, g.observed = g.here.Shut, summary.Find(root, finder.Deciding), o.Tests, o.Observations
	}
	total := int64(0)
	for i := old; i < len(g.list); i++ {
		if err := g.record(ctx, root, &g.list[i], &total); err != nil {
			return nil, err
		}
	}
	return g, g.save()
}

// save writes the state where Load reads it.
func (g *State) save() error {
	return fileio.WriteJSON(filepath.Join(g.private, "protected.json"), protectedJSON{
		List:              g.list,
		Without:           g.patterns,
		Shut:              g.shut,
		ExpectedSummaries: g.expected,
		Tests:             g.tests,
		Observed:          g.observed,
		Freed:             g.freed,
	})
}

// record takes down what a protected thing is now.
func (g *State) record(ctx context.Context, root *os.Root, h *protectedItem, total *int64) (err error) {
	switch {
	case h.Kind == detect.KindForbiddenNew:
		h.Was, err = g.newForbidden(root, *h)
	case h.Part == detect.InstalledPart:
		h.Missing, err = g.recordInstalled(ctx, root, h)
	default:
		if err = g.recordItem(root, h, total); err != nil {
			err = fmt.Errorf("keeping the protected file %s: %w", h.Path, err)
		}
	}
	return err
}

// isRecorded reports whether a thing was frozen, would have been if it had been there, or was freed by the user.
func (g *State) isRecorded(p detect.Protected) bool {
	if g == nil {
		return false
	}
	return slices.Contains(g.freed, p.Path) || slices.ContainsFunc(g.list, func(h protectedItem) bool {
		return h.Kind == p.Kind && h.Path == p.Path && h.Part == p.Part && h.Holding == p.Holding ||
			h.Kind == detect.KindMonitored && h.Missing && h.Path == p.Path
	})
}

// recordInstalled keeps what an installation holds; too many files are not compared.
func (g *State) recordInstalled(ctx context.Context, root *os.Root, h *protectedItem) (tooMany bool, err error) {
	list, err := listInstalled(ctx, root, h.Path, g.sums)
	if errors.Is(err, errTooManyInstalled) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking at what is installed in %s: %w", h.Path, err)
	}
	sum := sha256.Sum256(list)
	h.SHA256, h.Mode = hex.EncodeToString(sum[:]), 0o400
	return false, fileio.WriteFile(g.copy(*h), list, 0o400)
}

func (g *State) recordItem(root *os.Root, h *protectedItem, total *int64) error {
	b, mode, err := protectedContent(root, h.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.Missing = true
		return nil
	case err != nil:
		return err
	}
	if *total += int64(len(b)); *total > maxProtectedBytes {
		return fmt.Errorf("the protected files are more than %d MiB together: leave some out with --no-protect",
			maxProtectedBytes>>20)
	}
	return g.keep(h, b, mode)
}

func (g *State) copy(h protectedItem) string {
	return filepath.Join(g.private, "held", h.copy())
}

// Load reads what Record kept.
func Load(dir, private string) (*State, error) {
	var f protectedJSON
	if err := fileio.ReadJSON(filepath.Join(private, "protected.json"), &f); err != nil {
		return nil, err
	}
	g, err := newGuard(dir, private, f.List, f.Without, f.Shut)
	if err == nil {
		g.expected, g.tests, g.observed, g.freed = f.ExpectedSummaries, f.Tests, f.Observed, f.Freed
	}
	return g, err
}

// protectedContent is what a protected path holds: the text of a file, and for a link
// that leads out of the folder where it leads.
func protectedContent(root *os.Root, p string) ([]byte, fs.FileMode, error) {
	b, info, err := fileio.Read(root, p, maxProtectedBytes)
	if err == nil {
		return b, info.Mode(), nil
	}
	if target, linkErr := root.Readlink(p); linkErr == nil && !errors.Is(err, fileio.ErrTooLong) {
		return []byte("a link to " + target + "\n"), fs.ModeSymlink | 0o600, nil
	}
	return nil, 0, err
}

// Overrides are the copies that a check runs on instead of the files themselves.
func (g *State) Overrides(index int) []process.FileOverride {
	if g == nil {
		return nil
	}
	var list []process.FileOverride
	for _, h := range g.items() {
		if h.Kind == detect.KindLocked && !h.Missing && h.Mode.IsRegular() && slices.Contains(h.Checks, index) {
			list = append(list, process.FileOverride{Path: filepath.Join(g.dir, filepath.FromSlash(h.Path)), Copy: g.copy(h)})
		}
	}
	return list
}

// LockedScripts are the texts of the held files that decide a check.
func (g *State) LockedScripts(index int) []string {
	if g == nil {
		return nil
	}
	var texts []string
	for _, h := range g.items() {
		if h.Kind != detect.KindLocked || !slices.Contains(h.Checks, index) {
			continue
		}
		if text, err := g.originalContent(h); err == nil && fileio.IsText(text) {
			texts = append(texts, string(text))
		}
	}
	return texts
}
