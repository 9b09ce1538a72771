// Package protect copies what decides the checks of a goal, compares it with the copies, and restores it.
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

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/process"
	"goalpost/backend/lib/fileio"
	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// maxProtectedBytes limits the copies of all protected files together, in bytes.
const maxProtectedBytes = 256 << 20

// State knows the protected files as they were at the start, from copies in a private folder.
type State struct {
	dir, private string
	list         []storedItem
	patterns     []string // of without
	without      ignore.Globs

	tests    []int               // how many ran before the start, by check; nil if unknown
	observed []*goal.Observation // what the checks did before the start, by check; nil if not observed
	freed    []string            // files that the user unprotected

	mu        sync.Mutex
	unchanged map[string]statStamp // files that were unchanged in the last comparison
}

// Protected lists what must not change.
func (s *State) Protected() []Item {
	if s == nil {
		return nil
	}
	items := s.items()
	list := make([]Item, 0, len(items))
	for _, h := range items {
		list = append(list, h.Item)
	}
	return list
}

// TestsBefore returns how many tests of a check ran before the start, 0 if unknown.
func (s *State) TestsBefore(check int) int {
	if s == nil || check < 0 || check >= len(s.tests) {
		return 0
	}
	return s.tests[check]
}

// newState returns a State with these items.
func newState(dir, private string, list []storedItem, noProtect []string) (*State, error) {
	without, err := ignore.NewGlobs(noProtect)
	return &State{
		dir: dir, private: private, list: list, patterns: noProtect, without: without, unchanged: map[string]statStamp{},
	}, err
}

// storedItem is what State stores about one protected file or tree.
type storedItem struct {
	Item
	Missing bool        `json:"missing,omitempty"` // it did not exist
	SHA256  string      `json:"sha256,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	// Strict also compares whether the file is executable, and whether its path contains a link.
	Strict   bool `json:"strict,omitempty"`
	Accepted bool `json:"accepted,omitempty"` // the user accepted its present version
	// Files are the files of an installed tree that a check used and that changed; Path is the tree.
	Files []string `json:"files,omitempty"`
}

// currentContent returns the present content of an item: for a tree, a line with the hash of each file.
func (s storedItem) currentContent(root *os.Root) ([]byte, fs.FileMode, error) {
	if len(s.Files) == 0 {
		return readContent(root, s.Path)
	}
	lines := make([]string, 0, len(s.Files))
	for _, file := range s.Files {
		sum := ""
		if b, _, err := readContent(root, file); err == nil {
			sum = fileio.Hash(b)
		}
		lines = append(lines, treeLine(file, sum))
	}
	return []byte(strings.Join(lines, "")), 0o600, nil
}

// treeLine formats a file of a tree; sum is "" if the file was removed.
func treeLine(file, sum string) string {
	if sum == "" {
		sum = "gone"
	}
	return file + " " + sum + "\n"
}

// copyName returns the name of the copy in the private folder. It contains the mode, because the sandbox binds the copy
// with its own mode.
func (s storedItem) copyName() string { return fmt.Sprintf("%s-%o", s.SHA256, s.Mode.Perm()) }

// statStamp identifies a version of a file without reading it.
type statStamp struct{ size, ctime int64 }

// protectedJSON is a State on disk.
type protectedJSON struct {
	List     []storedItem        `json:"list"`
	Without  []string            `json:"without,omitempty"`
	Tests    []int               `json:"tests,omitempty"`
	Freed    []string            `json:"freed,omitempty"`
	Observed []*goal.Observation `json:"observed,omitempty"`
}

// Record copies what is protected. Files in old, which may be nil, keep their earlier copies.
func Record(ctx context.Context, o Options, old *State) (*State, error) {
	g, err := newState(o.Dir, o.Private, nil, o.freePatterns())
	if err != nil {
		return nil, err
	}
	if old != nil {
		g.list, g.freed = old.list, old.freed
		o.Tests, o.Observations = old.tests, old.observed
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
		if old.isRecorded(p) {
			continue
		}
		h := storedItem{Item: p}
		if err := g.recordItem(root, &h, &total); err != nil {
			return nil, err
		}
		g.list = append(g.list, h)
	}
	return g, g.save()
}

// save writes the state to the file that Load reads.
func (s *State) save() error {
	return fileio.WriteJSON(filepath.Join(s.private, "protected.json"), protectedJSON{
		List:     s.list,
		Without:  s.patterns,
		Tests:    s.tests,
		Observed: s.observed,
		Freed:    s.freed,
	})
}

// isRecorded reports whether an item was frozen, was recorded as missing, or was freed by the user.
func (s *State) isRecorded(p Item) bool {
	if s == nil {
		return false
	}
	return slices.Contains(s.freed, p.Path) || slices.ContainsFunc(s.list, func(h storedItem) bool {
		return h.Path == p.Path && (h.Kind == p.Kind || h.Kind == KindMonitored && h.Missing)
	})
}

// recordItem copies the present version of an item.
func (s *State) recordItem(root *os.Root, h *storedItem, total *int64) error {
	b, mode, err := h.currentContent(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.Missing = true
		return nil
	case err != nil:
		return fmt.Errorf("keeping the protected file %s: %w", h.Path, err)
	}
	if *total += int64(len(b)); *total > maxProtectedBytes {
		return fmt.Errorf("the protected files are larger than %d MiB in total: leave some out of the protection",
			maxProtectedBytes>>20)
	}
	return s.store(h, b, mode)
}

func (s *State) copyPath(h storedItem) string {
	return filepath.Join(s.private, "held", h.copyName())
}

// Load reads what Record stored.
func Load(dir, private string) (*State, error) {
	var f protectedJSON
	if err := fileio.ReadJSON(filepath.Join(private, "protected.json"), &f); err != nil {
		return nil, err
	}
	g, err := newState(dir, private, f.List, f.Without)
	g.tests, g.observed, g.freed = f.Tests, f.Observed, f.Freed
	return g, err
}

// readContent returns the content of a protected file, or the target of a link that leads out of the folder.
func readContent(root *os.Root, p string) ([]byte, fs.FileMode, error) {
	b, info, err := fileio.Read(root, p, maxProtectedBytes)
	if err == nil {
		return b, info.Mode(), nil
	}
	if target, linkErr := root.Readlink(p); linkErr == nil && !errors.Is(err, fileio.ErrTooLong) {
		return []byte("a link to " + target + "\n"), fs.ModeSymlink | 0o600, nil
	}
	return nil, 0, err
}

// Overrides returns the copies that a check uses instead of the files themselves.
func (s *State) Overrides(index int) []process.FileOverride {
	if s == nil {
		return nil
	}
	var list []process.FileOverride
	for _, h := range s.items() {
		if h.Kind == KindLocked && !h.Missing && h.Mode.IsRegular() && slices.Contains(h.Checks, index) {
			list = append(list, s.override(h))
		}
	}
	return list
}

func (s *State) override(h storedItem) process.FileOverride {
	return process.FileOverride{Path: filepath.Join(s.dir, filepath.FromSlash(h.Path)), Copy: s.copyPath(h)}
}

// EmptyScript returns an override for a script that is empty except for its #! line.
func (s *State) EmptyScript(file string, was Original) (process.FileOverride, error) {
	first, _, _ := strings.Cut(string(was.Content), "\n")
	if !strings.HasPrefix(first, "#!") {
		first = ""
	}
	was.Content = []byte(first + "\n")
	return s.StartCopy(file, was)
}

// StartCopy returns an override for a file with its content at the start.
func (s *State) StartCopy(file string, was Original) (process.FileOverride, error) {
	h := storedItem{Item: Item{Path: file}}
	err := s.store(&h, was.Content, was.Mode)
	return s.override(h), err
}

// LockedScripts returns the texts of the locked files that decide a check.
func (s *State) LockedScripts(index int) []string {
	if s == nil {
		return nil
	}
	var texts []string
	for _, h := range s.items() {
		if h.Kind != KindLocked || !slices.Contains(h.Checks, index) {
			continue
		}
		if text, err := s.originalContent(h); err == nil && fileio.IsText(text) {
			texts = append(texts, string(text))
		}
	}
	return texts
}

func (s *State) items() []storedItem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

// store stores the content of an item.
func (s *State) store(h *storedItem, content []byte, mode fs.FileMode) error {
	h.SHA256, h.Mode = fileio.Hash(content), mode
	target := s.copyPath(*h)
	if _, err := os.Lstat(target); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return text.StripPathError(err)
	}
	// Read-only, so that Goalpost cannot overwrite it by mistake.
	return fileio.WriteFile(target, content, mode.Perm()&^0o222|0o400)
}

// Open reads what a goal protects, while no run of the goal continues; nil if it protects nothing. Only such a
// State has Accept, Changes and Unprotect, which must not be called concurrently.
func Open(o Options) (*State, error) {
	g, err := Load(o.Dir, o.Private)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return g, err
}

// Observation returns what a check did before the first turn; nil if it was not observed.
func (s *State) Observation(check int) *goal.Observation {
	if s == nil {
		return nil
	}
	return Options{Observations: s.observed}.observation(check)
}
