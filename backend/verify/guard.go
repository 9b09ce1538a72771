package verify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"goalpost/backend/ignore"
	"goalpost/backend/process"
)

// guardMax is how much the copies of protected files may be together, in bytes.
const guardMax = 256 << 20

// guard knows what the protected files were at the start, from copies in a
// private folder.
type guard struct {
	dir, private string
	list         []held
	without      ignore.Globs
	shut         []string // folders that could not be looked into

	appears []appearance // in the order of list
	heard   []heard      // of the runners that checks call
	tests   []int        // how many ran before the start, by check; nil where nobody has counted

	mu    sync.Mutex
	ok    map[string]fresh // files that were the same when last looked at
	plain map[string]fresh // files that did not hold the text that one may not, by path and text
	sums  map[string]known // of installed files
	here  names            // what a pattern means, and the folders that it may be in
}

// newGuard is a guard of what list says.
func newGuard(dir, private string, list []held, noProtect, shut []string) (*guard, error) {
	g := &guard{dir: dir, private: private, list: list, shut: shut, ok: map[string]fresh{}, plain: map[string]fresh{}, sums: map[string]known{}}
	var err error
	if g.without, err = ignore.NewGlobs(noProtect); err != nil {
		return nil, err
	}
	for _, h := range list {
		if h.Kind != Appears {
			continue
		}
		a, err := appearanceOf(h.Path)
		if err != nil {
			return nil, err
		}
		g.appears = append(g.appears, a)
	}
	g.here.want = func(path string) bool {
		return slices.ContainsFunc(g.appears, func(a appearance) bool { return a.means(path) })
	}
	return g, nil
}

// held is one protected thing with what it was.
type held struct {
	Protected
	Missing bool        `json:"missing,omitempty"` // it did not exist
	SHA256  string      `json:"sha256,omitempty"`
	Mode    fs.FileMode `json:"mode,omitempty"`
	Was     []string    `json:"was,omitempty"` // of Appears: what was there already
}

// copy is the name of the copy in the private folder. The mode is part of it:
// what the sandbox binds has the mode of the copy.
func (h held) copy() string { return fmt.Sprintf("%s-%o", h.SHA256, h.Mode.Perm()) }

// fresh says when a file was seen; a file with the same is the same.
type fresh struct{ size, ctime int64 }

// protectedFile is a guard on disk.
type protectedFile struct {
	List    []held   `json:"list"`
	Without []string `json:"without,omitempty"`
	Shut    []string `json:"shut,omitempty"`
	Heard   []heard  `json:"heard,omitempty"`
	Tests   []int    `json:"tests,omitempty"`
}

// takeGuard copies what is protected. What was frozen before, nil for nothing,
// stays as it was then.
func takeGuard(ctx context.Context, o Options, frozen *guard) (*guard, error) {
	finder, err := lookThrough(ctx, o)
	if err != nil {
		return nil, err
	}
	found, err := finder.list()
	if err != nil {
		return nil, err
	}
	var list []held
	if frozen != nil {
		list = frozen.list
	}
	old := len(list)
	for _, p := range found {
		if !frozen.has(p) {
			list = append(list, held{Protected: p})
		}
	}
	g, err := newGuard(o.Dir, o.Private, list, o.NoProtect, nil)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", plain(err))
	}
	defer func() { _ = root.Close() }()
	if err := os.MkdirAll(filepath.Join(o.Private, "held"), 0o700); err != nil {
		return nil, fmt.Errorf("keeping protected files: %w", err)
	}
	if len(g.appears) > 0 {
		if err := g.here.run(ctx, o.Dir); err != nil {
			return nil, err
		}
	}
	g.shut, g.heard, g.tests = g.here.shut, finder.endings, o.Tests
	if frozen != nil {
		g.shut, g.heard, g.tests = frozen.shut, frozen.heard, frozen.tests
	}
	total := int64(0)
	for i := old; i < len(g.list); i++ {
		if err := g.keep(ctx, root, &g.list[i], &total); err != nil {
			return nil, err
		}
	}
	return g, writeJSON(filepath.Join(o.Private, "protected.json"), protectedFile{g.list, o.NoProtect, g.shut, g.heard, g.tests})
}

// keep takes down what a protected thing is now.
func (g *guard) keep(ctx context.Context, root *os.Root, h *held, total *int64) (err error) {
	switch {
	case h.Kind == Appears:
		h.Was, err = g.appeared(root, *h)
	case h.Part == installed:
		h.Missing, err = g.takeInstalled(ctx, root, h)
	default:
		if err = g.take(root, h, total); err != nil {
			err = fmt.Errorf("keeping the protected file %s: %w", h.Path, err)
		}
	}
	return err
}

// has says whether a thing was frozen, or would have been if it had been there.
func (g *guard) has(p Protected) bool {
	return g != nil && slices.ContainsFunc(g.list, func(h held) bool {
		return h.Kind == p.Kind && h.Path == p.Path && h.Part == p.Part && h.Holding == p.Holding || h.Kind == Compared && h.Missing && h.Path == p.Path
	})
}

// takeInstalled keeps what an installation holds; too many files are not compared.
func (g *guard) takeInstalled(ctx context.Context, root *os.Root, h *held) (tooMany bool, err error) {
	list, err := manifest(ctx, root, h.Path, g.sums)
	if errors.Is(err, errTooManyInstalled) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking at what is installed in %s: %w", h.Path, err)
	}
	sum := sha256.Sum256(list)
	h.SHA256, h.Mode = hex.EncodeToString(sum[:]), 0o400
	return false, writeFile(g.copy(*h), list, 0o400)
}

func (g *guard) take(root *os.Root, h *held, total *int64) error {
	b, mode, err := content(root, h.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		h.Missing = true
		return nil
	case err != nil:
		return err
	}
	if *total += int64(len(b)); *total > guardMax {
		return fmt.Errorf("the protected files are more than %d MiB together: leave some out with --no-protect", guardMax>>20)
	}
	sum := sha256.Sum256(b)
	h.SHA256, h.Mode = hex.EncodeToString(sum[:]), mode
	copied := g.copy(*h)
	if _, err := os.Lstat(copied); err == nil {
		return nil
	}
	// Nobody writes it again, so that a run of the app cannot by mistake.
	return writeFile(copied, b, mode.Perm()&^0o222|0o400)
}

func (g *guard) copy(h held) string { return filepath.Join(g.private, "held", h.copy()) }

// openGuard reads what takeGuard kept.
func openGuard(dir, private string) (*guard, error) {
	var f protectedFile
	if err := readJSON(filepath.Join(private, "protected.json"), &f); err != nil {
		return nil, err
	}
	g, err := newGuard(dir, private, f.List, f.Without, f.Shut)
	if err == nil {
		g.heard, g.tests = f.Heard, f.Tests
	}
	return g, err
}

// content is what a protected path holds: the text of a file, and for a link
// that leads out of the folder where it leads.
func content(root *os.Root, p string) ([]byte, fs.FileMode, error) {
	b, info, err := read(root, p, guardMax)
	if err == nil {
		return b, info.Mode(), nil
	}
	if target, linkErr := root.Readlink(p); linkErr == nil && !errors.Is(err, errTooLong) {
		return []byte("a link to " + target + "\n"), fs.ModeSymlink | 0o600, nil
	}
	return nil, 0, err
}

// held are the copies that a check runs on instead of the files themselves.
func (w *World) held(index int) []process.FileOverride {
	if w == nil {
		return nil
	}
	var list []process.FileOverride
	for _, h := range w.guard.list {
		if h.Kind == Held && !h.Missing && h.Mode.IsRegular() && slices.Contains(h.Checks, index) {
			list = append(list, process.FileOverride{Path: filepath.Join(w.dir, filepath.FromSlash(h.Path)), Copy: w.guard.copy(h)})
		}
	}
	return list
}

func writeJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("keeping %s: %w", filepath.Base(path), err)
	}
	return writeFile(path, b, 0o600)
}

func readJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(path), plain(err))
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("reading %s: %w", filepath.Base(path), err)
	}
	return nil
}

// writeFile writes a private file whole or not at all.
func writeFile(path string, b []byte, mode fs.FileMode) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return fmt.Errorf("keeping %s: %w", filepath.Base(path), plain(err))
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keeping %s: %w", filepath.Base(path), errors.Join(plain(err), os.Remove(f.Name())))
	}
	return nil
}
