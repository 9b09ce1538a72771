package verify

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"goalpost/backend/goal"
)

// Options say what a world is compared with.
type Options struct {
	Dir     string // the goal's folder, absolute
	Private string // where copies are kept, out of the goal's reach; made if missing
	// Criterion, Protect and NoProtect say what must not change, see FindProtected.
	Criterion          goal.Criterion
	Protect, NoProtect []string
	// Tests says how many tests the gates' runners ran before the first turn, by check.
	Tests []int
	// Pages gives what the goal's pages show: their addresses and a hash of what
	// is on them. nil where there are none.
	Pages func(ctx context.Context) (string, error)
}

// Workspace is what a goal can change, compared with what was there at its start.
// All methods may be called concurrently, and on nil, which knows of no change.
type Workspace struct {
	dir, private string
	base         *baseline
	guard        *protectedState
	pages        func(ctx context.Context) (string, error)
	most         int // entries that a fingerprint is of

	mu    sync.Mutex
	known map[string]knownHash // sums by path
}

// knownHash is the sum of a file as long as its size and times are these.
type knownHash struct {
	size, mtime, ctime int64
	sum                string
}

// RecordProtected keeps what decides the criterion, when a goal is made: what it is shown to
// the user as, it stays, also while the goal waits for its turn.
func RecordProtected(ctx context.Context, o Options) error {
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return fmt.Errorf("keeping what decides: %w", stripPathError(err))
	}
	_, err := recordProtected(ctx, o, nil)
	return err
}

// OpenWorkspace compares with what was kept in Private, or takes and keeps the
// present state if nothing was: at the first start of a goal. What was frozen
// before stays as it was, and what has come since and decides, too, is kept.
func OpenWorkspace(ctx context.Context, o Options) (*Workspace, error) {
	w := &Workspace{dir: o.Dir, private: o.Private, pages: o.Pages, most: maxFingerprintEntries, known: map[string]knownHash{}}
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return nil, fmt.Errorf("keeping what the folder was: %w", stripPathError(err))
	}
	var err error
	w.base, err = openBaseline(o.Private)
	if errors.Is(err, fs.ErrNotExist) {
		// The baseline comes last: what was half kept is taken again.
		var frozen *protectedState
		if frozen, err = loadProtected(o.Dir, o.Private); errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		if err == nil {
			w.guard, err = recordProtected(ctx, o, frozen)
		}
		if err == nil {
			w.base, err = recordBaseline(ctx, o.Dir, o.Private)
		}
	} else if err == nil {
		w.guard, err = loadProtected(o.Dir, o.Private)
	}
	if err != nil {
		return nil, err
	}
	for _, e := range w.base.Entries {
		if e.SHA256 != "" && time.Unix(0, e.CTime).Before(time.Unix(0, w.base.TakenAt).Add(-mtimeGranularity)) {
			w.known[e.Path] = knownHash{e.Size, e.MTime, e.CTime, e.SHA256}
		}
	}
	return w, nil
}

// Protected lists what must not change.
func (w *Workspace) Protected() []Protected {
	if w == nil {
		return nil
	}
	list := make([]Protected, 0, len(w.guard.list))
	for _, h := range w.guard.list {
		list = append(list, h.Protected)
	}
	return list
}

// scan looks at the folder as it is: at that many entries, 0 is maxEntries.
func (w *Workspace) scan(ctx context.Context, most int) (*treeWalk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[string]knownHash{} // what is gone is forgotten
	look := &treeWalk{rules: w.base.rules, most: most, sum: func(root *os.Root, name string, e *entry) {
		if k, ok := w.known[e.Path]; ok && k.size == e.Size && k.mtime == e.MTime && k.ctime == e.CTime {
			e.SHA256 = k.sum
			seen[e.Path] = k
			return
		}
		hashFile(root, name, e)
		if e.SHA256 != "" && time.Since(time.Unix(0, e.CTime)) > mtimeGranularity {
			seen[e.Path] = knownHash{e.Size, e.MTime, e.CTime, e.SHA256}
		}
	}}
	if err := look.run(ctx, w.dir); err != nil {
		return nil, err
	}
	w.known = seen
	return look, nil
}

// Fingerprint is the same as long as the goal's folder and pages are. A file
// counts by its content, as long as it is not too long to be read: an edit and
// its revert is no change. Behind the first 20,000 entries files count by size and
// times, and ignored folders by their number of entries. unseen says what was not
// looked at, "" if nothing was left out: there something may have changed.
func (w *Workspace) Fingerprint(ctx context.Context) (print, unseen string, err error) {
	if w == nil {
		return "", "", nil
	}
	look, err := w.scan(ctx, w.most)
	if err != nil {
		return "", "", err
	}
	sum := sha256.New()
	line := make([]byte, 0, 512)
	for _, e := range look.entries {
		line = e.fingerprint(line[:0])
		_, _ = sum.Write(line) // a hash takes everything
	}
	if w.pages != nil {
		shown, err := w.pages(ctx)
		if err != nil {
			return "", "", fmt.Errorf("looking at the goal's pages: %w", err)
		}
		_, _ = sum.Write([]byte(shown))
	}
	return hex.EncodeToString(sum.Sum(nil)), look.omissions(), nil
}

// fingerprint is what an entry is in a fingerprint. No name has a zero byte in it.
func (e entry) fingerprint(line []byte) []byte {
	line = append(append(line, e.Path...), 0)
	line = binary.BigEndian.AppendUint32(line, uint32(e.Mode))
	for _, n := range []int64{e.Size, int64(e.Count)} {
		line = binary.BigEndian.AppendUint64(line, uint64(n))
	}
	if e.SHA256 == "" { // the content is not known: the times stand for it
		for _, n := range []int64{e.MTime, e.CTime} {
			line = binary.BigEndian.AppendUint64(line, uint64(n))
		}
	}
	line = append(append(line, e.SHA256...), 0)
	return append(append(line, e.Target...), 0)
}

// Tampered says what of the protected files is not as it was, "" if all is.
func (w *Workspace) Tampered(ctx context.Context) (string, error) {
	if w == nil {
		return "", nil
	}
	found, err := w.guard.diff(ctx, -1)
	return asText(found), err
}

// Undecided names the changed files whose change RecordShown has not kept.
func (w *Workspace) Undecided(ctx context.Context) ([]string, error) {
	if w == nil {
		return nil, nil
	}
	return w.guard.undecided(ctx)
}

// RecordShown keeps which files are changed, and how: the goal pauses for them, and the
// user is told that they are put back.
func (w *Workspace) RecordShown(ctx context.Context) error {
	if w == nil {
		return nil
	}
	return w.guard.recordShown(ctx)
}

// RestoreProtected makes the protected files again what they were and names those it
// touched. What it takes away is moved to aside, a part of the private folder; it is ""
// if there was nothing to keep.
func (w *Workspace) RestoreProtected(ctx context.Context) (files []string, aside string, err error) {
	if w == nil {
		return nil, "", nil
	}
	return w.guard.putAllBack(ctx)
}
