// Package workspace compares a goal's folder with what it was at the goal's start.
package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"goalpost/backend/fileio"
)

// Options say which folder is compared, and where its start state is kept.
type Options struct {
	Dir     string // the goal's folder, absolute
	Private string // where copies are kept, out of the goal's reach; made if missing
	// Hidden are folders below Dir that are left out, relative to it.
	Hidden []string
}

// Workspace is what a goal can change, compared with what was there at its start.
// All methods may be called concurrently, and on nil, which knows of no change.
type Workspace struct {
	dir  string
	base *baseline
	most int // entries that a fingerprint is of
	// Pages gives what the goal's pages show, for fingerprints; nil where there are none. It is set before any use.
	Pages func(ctx context.Context) (string, error)
	// hidden are folders that are left out
	hidden []string

	mu    sync.Mutex
	known map[string]knownHash // sums by path
}

// knownHash is the sum of a file as long as its size and times are these.
type knownHash struct {
	size, mtime, ctime int64
	sum                string
}

// Open compares with what recordFolder kept. The error is fs.ErrNotExist if nothing was kept.
func Open(o Options) (*Workspace, error) {
	base, err := openBaseline(o.Private)
	if err != nil {
		return nil, err
	}
	return newWorkspace(o, base), nil
}

// Record keeps what the folder is now and compares with it.
func Record(ctx context.Context, o Options) (*Workspace, error) {
	base, err := recordBaseline(ctx, o)
	if err != nil {
		return nil, err
	}
	return newWorkspace(o, base), nil
}

func newWorkspace(o Options, base *baseline) *Workspace {
	w := &Workspace{
		dir:    o.Dir,
		base:   base,
		most:   maxFingerprintEntries,
		hidden: o.Hidden,
		known:  map[string]knownHash{},
	}
	for _, e := range base.Entries {
		if e.SHA256 != "" && time.Unix(0, e.CTime).Before(time.Unix(0, base.TakenAt).Add(-fileio.TimeGranularity)) {
			w.known[e.Path] = knownHash{e.Size, e.MTime, e.CTime, e.SHA256}
		}
	}
	return w
}

// scan looks at the folder as it is: at that many entries, 0 is maxEntries.
func (w *Workspace) scan(ctx context.Context, most int) (*treeWalk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := map[string]knownHash{} // what is gone is forgotten
	look := &treeWalk{rules: w.base.rules, hidden: w.hidden, most: most, sum: func(root *os.Root, name string, e *Entry) {
		if k, ok := w.known[e.Path]; ok && k.size == e.Size && k.mtime == e.MTime && k.ctime == e.CTime {
			e.SHA256 = k.sum
			seen[e.Path] = k
			return
		}
		hashFile(root, name, e)
		if e.SHA256 != "" && time.Since(time.Unix(0, e.CTime)) > fileio.TimeGranularity {
			seen[e.Path] = knownHash{e.Size, e.MTime, e.CTime, e.SHA256}
		}
	}}
	if err := look.run(ctx, w.dir); err != nil {
		return nil, err
	}
	w.known = seen
	return look, nil
}

// Fingerprint is the same as long as the goal's folder and pages are. A file counts by its content, as long as it is
// not too long to be read: an edit and its revert is no change. Behind the first 20,000 entries files count by size and
// times, and ignored folders by their number of entries. unseen says what was not looked at, "" if nothing was left
// out: there something may have changed.
func (w *Workspace) Fingerprint(ctx context.Context) (print, unseen string, err error) {
	if w == nil {
		return "", "", nil
	}
	look, err := w.scan(ctx, w.most)
	if err != nil {
		return "", "", err
	}
	shown := ""
	if w.Pages != nil {
		if shown, err = w.Pages(ctx); err != nil {
			return "", "", fmt.Errorf("looking at the goal's pages: %w", err)
		}
	}
	return hashEntries(look.entries, shown), look.omissions(), nil
}

// hashEntries is the hash of entries and of what else was looked at.
func hashEntries(list []Entry, more string) string {
	sum := sha256.New()
	line := make([]byte, 0, 512)
	for _, e := range list {
		line = e.fingerprint(line[:0])
		_, _ = sum.Write(line) // a hash takes everything
	}
	_, _ = sum.Write([]byte(more))
	return hex.EncodeToString(sum.Sum(nil))
}

// fingerprint is what an entry is in a fingerprint. No name has a zero byte in it.
func (e Entry) fingerprint(line []byte) []byte {
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

// TreeHash returns a hash of the names, modes and contents of the folder, without ignored folders, times and pages.
// Files of more than 1 MiB count by their size. It returns "" if the folder has more entries than are compared.
func (w *Workspace) TreeHash(ctx context.Context) (string, error) {
	if w == nil {
		return "", nil
	}
	look, err := w.scan(ctx, maxEntries)
	if err != nil || look.more {
		return "", err
	}
	list := slices.DeleteFunc(look.entries, func(e Entry) bool { return e.Heap })
	for i := range list {
		list[i].MTime, list[i].CTime, list[i].Count = 0, 0, 0
	}
	return hashEntries(list, ""), nil
}
