package verify

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
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

	mu sync.Mutex
	ok map[string]fresh // files that were the same when last looked at
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
}

// takeGuard copies what is protected.
func takeGuard(ctx context.Context, o Options) (*guard, error) {
	list, err := FindProtected(ctx, o.Dir, o.Criterion, o.Protect, o.NoProtect)
	if err != nil {
		return nil, err
	}
	g := &guard{dir: o.Dir, private: o.Private, ok: map[string]fresh{}}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", plain(err))
	}
	defer func() { _ = root.Close() }()
	if err := os.MkdirAll(filepath.Join(o.Private, "held"), 0o700); err != nil {
		return nil, fmt.Errorf("keeping protected files: %w", err)
	}
	w := walk{rules: ignore.Rules{}}
	if err := w.run(ctx, o.Dir); err != nil {
		return nil, err
	}
	total := int64(0)
	for _, p := range list {
		h := held{Protected: p}
		if p.Kind == Appears {
			if h.Was, err = g.appeared(root, w.entries, h); err != nil {
				return nil, err
			}
		} else if err := g.take(root, &h, &total); err != nil {
			return nil, fmt.Errorf("keeping the protected file %s: %w", p.Path, err)
		}
		g.list = append(g.list, h)
	}
	if g.without, err = ignore.NewGlobs(o.NoProtect); err != nil {
		return nil, err
	}
	return g, writeJSON(filepath.Join(o.Private, "protected.json"), protectedFile{g.list, o.NoProtect})
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
	without, err := ignore.NewGlobs(f.Without)
	if err != nil {
		return nil, err
	}
	return &guard{dir: dir, private: private, list: f.List, without: without, ok: map[string]fresh{}}, nil
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

// differences says what is not as it was of what decides a check; -1 means any check.
func (g *guard) differences(ctx context.Context, check int) ([]difference, error) {
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return nil, fmt.Errorf("the goal's folder: %w", plain(err))
	}
	defer func() { _ = root.Close() }()
	g.mu.Lock()
	defer g.mu.Unlock()
	var found []difference
	var names *walk // made when the first pattern wants it
	for _, h := range g.list {
		if check >= 0 && !slices.Contains(h.Checks, check) {
			continue
		}
		if h.Kind != Appears {
			if d, same := g.compare(root, h); !same {
				found = append(found, d)
			}
			continue
		}
		if names == nil {
			names = &walk{rules: ignore.Rules{}}
			if err := names.run(ctx, g.dir); err != nil {
				return nil, err
			}
		}
		paths, err := g.appeared(root, names.entries, h)
		if err != nil {
			return nil, err
		}
		for _, p := range paths {
			if !slices.Contains(h.Was, p) {
				found = append(found, difference{held: h, path: p, text: fmt.Sprintf("%s has appeared: %s\n", p, h.Why)})
			}
		}
	}
	return found, nil
}

// difference is one thing that is not as it was.
type difference struct {
	held
	path string // of Appears the file
	text string // a diff
}

// compare looks at one file. A file whose size and time of change are those of
// the last look is not read again.
func (g *guard) compare(root *os.Root, h held) (difference, bool) {
	info, err := root.Stat(h.Path)
	if err == nil && g.ok[h.Path+"\x00"+h.Part] == (fresh{info.Size(), ctime(info)}) && ctime(info) != 0 {
		return difference{}, true
	}
	d := difference{held: h, path: h.Path}
	is, _, err := content(root, h.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.text = fmt.Sprintf("%s cannot be read: %v\n", h.Path, err)
		return d, false
	}
	if h.Missing && h.Part == "" && err == nil {
		d.text = h.Path + " has appeared\n"
		return d, false
	}
	was, wasErr := g.was(h)
	if wasErr != nil {
		d.text = fmt.Sprintf("what %s was at the start is lost: %v\n", h.Path, wasErr)
		return d, false
	}
	if !bytes.Equal(was, is) {
		before, after := partOf(h.Part, was), partOf(h.Part, is)
		if before != after && !grown(h.Part, before, after) {
			d.text = unified(partName(h.Protected), []byte(before), []byte(after), err != nil)
			return d, false
		}
	}
	if info != nil && settled(info) {
		g.ok[h.Path+"\x00"+h.Part] = fresh{info.Size(), ctime(info)}
	}
	return d, true
}

// was is what a file held at the start.
func (g *guard) was(h held) ([]byte, error) {
	if h.Missing {
		return nil, nil
	}
	b, err := os.ReadFile(g.copy(h))
	if err != nil {
		return nil, fmt.Errorf("the copy: %w", plain(err))
	}
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:]) != h.SHA256 {
		return nil, errors.New("the copy is damaged")
	}
	return b, nil
}

// appeared lists the files among entries that a pattern of Appears means, of
// which none may be new.
func (g *guard) appeared(root *os.Root, entries []entry, h held) ([]string, error) {
	base, name, deep := strings.Cut(h.Path, "**/")
	if !deep {
		base, name = path.Split(h.Path)
		name = "/" + name
	}
	pattern, err := ignore.New(name)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		rel, below := strings.CutPrefix(e.Path, base)
		if !below || e.Mode.IsDir() || !pattern.Match(rel) || g.without.Covers(e.Path) {
			continue
		}
		if h.Holding != "" {
			text, _, err := read(root, e.Path, partMax)
			if err != nil || !bytes.Contains(text, []byte(h.Holding)) {
				continue
			}
		}
		found = append(found, e.Path)
	}
	return found, nil
}

// tampered says what of that which decides a check is not as it was.
func (w *World) tampered(ctx context.Context, c check) (string, error) {
	if w == nil || !c.runs() {
		return "", nil
	}
	found, err := w.guard.differences(ctx, c.n)
	return texts(found), err
}

func texts(found []difference) string {
	var b strings.Builder
	for _, d := range found {
		b.WriteString(d.text)
	}
	return string(cut([]byte(b.String()), tamperedMax))
}

// tamperedMax bounds the diff of a tampered verdict, in bytes.
const tamperedMax = 16 << 10

// held are the copies that a check runs on instead of the files themselves.
func (w *World) held(index int) []process.Held {
	if w == nil {
		return nil
	}
	var list []process.Held
	for _, h := range w.guard.list {
		if h.Kind == Held && !h.Missing && h.Mode.IsRegular() && slices.Contains(h.Checks, index) {
			list = append(list, process.Held{Path: filepath.Join(w.dir, filepath.FromSlash(h.Path)), Copy: w.guard.copy(h)})
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
