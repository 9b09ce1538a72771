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
	"sync"

	"goalpost/backend/fileio"
	"goalpost/backend/goal"
	"goalpost/backend/ignore"
	"goalpost/backend/process"
	"goalpost/backend/text"
)

// maxProtectedBytes is how much the copies of protected files may be together, in bytes.
const maxProtectedBytes = 256 << 20

// State knows what the protected files were at the start, from copies in a private folder.
type State struct {
	dir, private string
	list         []protectedItem
	patterns     []string // of without
	without      ignore.Globs

	tests    []int               // how many ran before the start, by check; nil where nobody has counted
	observed []*goal.Observation // what the checks did before the start, by check; nil where nobody could observe it
	freed    []string            // files that the user unprotected

	mu sync.Mutex
	ok map[string]statStamp // files that were the same when last looked at
}

// Protected lists what must not change.
func (g *State) Protected() []Protected {
	if g == nil {
		return nil
	}
	items := g.items()
	list := make([]Protected, 0, len(items))
	for _, h := range items {
		list = append(list, h.Protected)
	}
	return list
}

// TestsBefore is how many tests of a check ran before the start, 0 if that is not known.
func (g *State) TestsBefore(check int) int {
	if g == nil || check < 0 || check >= len(g.tests) {
		return 0
	}
	return g.tests[check]
}

// newState is the state that a list of items describes.
func newState(dir, private string, list []protectedItem, noProtect []string) (*State, error) {
	without, err := ignore.NewGlobs(noProtect)
	return &State{
		dir: dir, private: private, list: list, patterns: noProtect, without: without, ok: map[string]statStamp{},
	}, err
}

// protectedItem is one protected thing with what it was.
type protectedItem struct {
	Protected
	Missing bool        `json:"missing,omitempty"` // it did not exist
	SHA256  string      `json:"sha256,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	// Strict also compares whether it can be executed, and whether a link is on the way to it.
	Strict   bool `json:"strict,omitempty"`
	Accepted bool `json:"accepted,omitempty"` // by the user, as it is now
	// Files are those of an installed tree that a check used and that were changed; Path is the tree.
	Files []string `json:"files,omitempty"`
}

// content is what a protected thing holds now: of a tree, a line with the hash of each file.
func (h protectedItem) content(root *os.Root) ([]byte, fs.FileMode, error) {
	if len(h.Files) == 0 {
		return protectedContent(root, h.Path)
	}
	lines := make([]string, 0, len(h.Files))
	for _, file := range h.Files {
		sum := ""
		if b, _, err := protectedContent(root, file); err == nil {
			sum = fileio.Hash(b)
		}
		lines = append(lines, treeLine(file, sum))
	}
	return []byte(strings.Join(lines, "")), 0o600, nil
}

// treeLine is a file of a tree; sum is "" if it is gone.
func treeLine(file, sum string) string {
	if sum == "" {
		sum = "gone"
	}
	return file + " " + sum + "\n"
}

// copy is the name of the copy in the private folder. The mode is part of it:
// what the sandbox binds has the mode of the copy.
func (h protectedItem) copy() string { return fmt.Sprintf("%s-%o", h.SHA256, h.Mode.Perm()) }

// statStamp says when a file was seen; a file with the same is the same.
type statStamp struct{ size, ctime int64 }

// protectedJSON is a guard on disk.
type protectedJSON struct {
	List    []protectedItem `json:"list"`
	Without []string        `json:"without,omitempty"`
	Tests   []int           `json:"tests,omitempty"`
	Freed   []string        `json:"freed,omitempty"`
	// Observed is missing in what older versions stored.
	Observed []*goal.Observation `json:"observed,omitempty"`
}

// Record copies what is protected. What was frozen before, nil for nothing, stays as it was then.
func Record(ctx context.Context, o Options, frozen *State) (*State, error) {
	g, err := newState(o.Dir, o.Private, nil, o.freePatterns())
	if err != nil {
		return nil, err
	}
	if frozen != nil {
		g.list, g.freed = frozen.list, frozen.freed
		o.Tests, o.Observations = frozen.tests, frozen.observed
	}
	g.tests, g.observed = o.Tests, o.Observations
	found, err := Find(ctx, o)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", text.StripPathError(err))
	}
	defer func() { _ = root.Close() }()
	if err := os.MkdirAll(filepath.Join(o.Private, "held"), 0o700); err != nil {
		return nil, fmt.Errorf("keeping protected files: %w", err)
	}
	total := int64(0)
	for _, p := range found {
		if frozen.isRecorded(p) {
			continue
		}
		h := protectedItem{Protected: p}
		if err := g.record(root, &h, &total); err != nil {
			return nil, err
		}
		g.list = append(g.list, h)
	}
	return g, g.save()
}

// save writes the state where Load reads it.
func (g *State) save() error {
	return fileio.WriteJSON(filepath.Join(g.private, "protected.json"), protectedJSON{
		List:     g.list,
		Without:  g.patterns,
		Tests:    g.tests,
		Observed: g.observed,
		Freed:    g.freed,
	})
}

// isRecorded reports whether a thing was frozen, would have been if it had been there, or was freed by the user.
func (g *State) isRecorded(p Protected) bool {
	if g == nil {
		return false
	}
	return slices.Contains(g.freed, p.Path) || slices.ContainsFunc(g.list, func(h protectedItem) bool {
		return h.Kind == p.Kind && h.Path == p.Path && h.Part == p.Part ||
			h.Kind == KindMonitored && h.Missing && h.Path == p.Path
	})
}

// record takes down what a protected file is now.
func (g *State) record(root *os.Root, h *protectedItem, total *int64) error {
	b, mode, err := h.content(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.Missing = true
		return nil
	case err != nil:
		return fmt.Errorf("keeping the protected file %s: %w", h.Path, err)
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
	// Older versions stored patterns of names that may not appear, and what was installed.
	f.List = slices.DeleteFunc(f.List, func(h protectedItem) bool {
		return h.Part == "installed" || h.Kind == KindForbiddenNew && strings.ContainsAny(h.Path, "*?[")
	})
	g, err := newState(dir, private, f.List, f.Without)
	g.tests, g.observed, g.freed = f.Tests, f.Observed, f.Freed
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
		if h.Kind == KindLocked && !h.Missing && h.Mode.IsRegular() && slices.Contains(h.Checks, index) {
			list = append(list, g.override(h))
		}
	}
	return list
}

func (g *State) override(h protectedItem) process.FileOverride {
	return process.FileOverride{Path: filepath.Join(g.dir, filepath.FromSlash(h.Path)), Copy: g.copy(h)}
}

// EmptyScript is used instead of a script and holds nothing but its first line, where that names an interpreter.
func (g *State) EmptyScript(file string, was Original) (process.FileOverride, error) {
	first, _, _ := strings.Cut(string(was.Content), "\n")
	if !strings.HasPrefix(first, "#!") {
		first = ""
	}
	h := protectedItem{Protected: Protected{Path: file}}
	err := g.keep(&h, []byte(first+"\n"), was.Mode)
	return g.override(h), err
}

// StartCopies are copies of the start for changed files that Hold has taken; nil if one is new or gone.
func (g *State) StartCopies(changes []goal.FileChange) (list []process.FileOverride) {
	items := g.items()
	for _, c := range changes {
		i := slices.IndexFunc(items, func(h protectedItem) bool {
			return h.Path == c.Path && h.Kind != KindForbiddenNew && h.Part == "" && h.Mode.IsRegular()
		})
		if i < 0 || c.Change != "changed" && c.Change != "mode" {
			return nil
		}
		list = append(list, g.override(items[i]))
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
		if h.Kind != KindLocked || !slices.Contains(h.Checks, index) {
			continue
		}
		if text, err := g.originalContent(h); err == nil && fileio.IsText(text) {
			texts = append(texts, string(text))
		}
	}
	return texts
}

func (g *State) items() []protectedItem {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.list)
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
