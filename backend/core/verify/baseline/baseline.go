// Package baseline compares a goal's folder with its state at the goal's start.
package baseline

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

	"goalpost/backend/lib/fileio"
)

// Options say which folder is compared, and where its state at the start is stored.
type Options struct {
	Dir     string // the goal's folder, absolute
	Private string // for copies, out of the goal's reach; created if missing
	// Hidden are folders in Dir that are left out, relative to it.
	Hidden []string
}

// Baseline compares a goal's folder with its recorded state at the start. All methods may be called concurrently.
// A nil Baseline reports no change.
type Baseline struct {
	dir              string
	start            *startState
	maxFingerprinted int // entries in a fingerprint
	// Source lists the changes; nil: there are none. Set it before any other use.
	Source Source
	// Pages returns what the goal's pages show, for fingerprints; nil if there are none. Set it before any other
	// use.
	Pages  func(ctx context.Context) (string, error)
	hidden []string

	mu     sync.Mutex
	hashes map[string]knownHash // hashes by path
}

// knownHash is the hash of a file, valid as long as its size and times are the same.
type knownHash struct {
	size, mtime, ctime int64
	sum                string
}

// Open opens what Record stored. The error is fs.ErrNotExist if nothing was stored.
func Open(o Options) (*Baseline, error) {
	base, err := openStart(o.Private)
	if err != nil {
		return nil, err
	}
	return newBaseline(o, base), nil
}

// Record stores the present state of the folder.
func Record(ctx context.Context, o Options) (*Baseline, error) {
	base, err := recordStart(ctx, o)
	if err != nil {
		return nil, err
	}
	return newBaseline(o, base), nil
}

func newBaseline(o Options, base *startState) *Baseline {
	w := &Baseline{
		dir:              o.Dir,
		start:            base,
		maxFingerprinted: maxFingerprintEntries,
		hidden:           o.Hidden,
		hashes:           map[string]knownHash{},
	}
	for _, e := range base.Entries {
		if e.SHA256 != "" && time.Unix(0, e.CTime).Before(time.Unix(0, base.TakenAt).Add(-fileio.TimeGranularity)) {
			w.hashes[e.Path] = knownHash{e.Size, e.MTime, e.CTime, e.SHA256}
		}
	}
	return w
}

// scan records the present folder, up to that many entries; 0 means maxEntries.
func (ba *Baseline) scan(ctx context.Context, limit int) (*treeWalk, error) {
	ba.mu.Lock()
	defer ba.mu.Unlock()
	hashes := map[string]knownHash{} // without removed files
	look := &treeWalk{rules: ba.start.rules, hidden: ba.hidden, limit: limit}
	look.sum = func(root *os.Root, name string, e *Entry) {
		if k, ok := ba.hashes[e.Path]; ok && k.size == e.Size && k.mtime == e.MTime && k.ctime == e.CTime {
			e.SHA256 = k.sum
			hashes[e.Path] = k
			return
		}
		hashFile(root, name, e)
		if e.SHA256 != "" && time.Since(time.Unix(0, e.CTime)) > fileio.TimeGranularity {
			hashes[e.Path] = knownHash{e.Size, e.MTime, e.CTime, e.SHA256}
		}
	}
	if err := look.run(ctx, ba.dir); err != nil {
		return nil, err
	}
	ba.hashes = hashes
	return look, nil
}

// Fingerprint stays the same as long as the goal's folder and pages do. Files count by content, so an edit and its
// revert change nothing. Files that are too long, and those past the first 20,000 entries, count by size and times;
// ignored folders count by their number of entries. gaps describes what was skipped and may have changed, "" if
// nothing was.
func (ba *Baseline) Fingerprint(ctx context.Context) (print, gaps string, err error) {
	if ba == nil {
		return "", "", nil
	}
	look, err := ba.scan(ctx, ba.maxFingerprinted)
	if err != nil {
		return "", "", err
	}
	pages := ""
	if ba.Pages != nil {
		if pages, err = ba.Pages(ctx); err != nil {
			return "", "", fmt.Errorf("looking at the goal's pages: %w", err)
		}
	}
	return hashEntries(look.entries, pages), look.omissions(), nil
}

// hashEntries returns the hash of entries and of more.
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

// fingerprint appends an entry's part of the fingerprint to line. No name contains a zero byte.
func (e Entry) fingerprint(line []byte) []byte {
	line = append(append(line, e.Path...), 0)
	line = binary.BigEndian.AppendUint32(line, uint32(e.Mode))
	for _, n := range []int64{e.Size, int64(e.Count)} {
		line = binary.BigEndian.AppendUint64(line, uint64(n))
	}
	if e.SHA256 == "" { // without the content, the times identify it
		for _, n := range []int64{e.MTime, e.CTime} {
			line = binary.BigEndian.AppendUint64(line, uint64(n))
		}
	}
	line = append(append(line, e.SHA256...), 0)
	return append(append(line, e.Target...), 0)
}

// TreeHash returns a hash of the names, modes and contents of the folder, without ignored folders, times and pages.
// Files over 1 MiB count by size. It returns "" if the folder has more entries than are compared.
func (ba *Baseline) TreeHash(ctx context.Context) (string, error) {
	if ba == nil {
		return "", nil
	}
	look, err := ba.scan(ctx, maxEntries)
	if err != nil || look.more {
		return "", err
	}
	list := slices.DeleteFunc(look.entries, func(e Entry) bool { return e.Heap })
	for i := range list {
		list[i].MTime, list[i].CTime, list[i].Count = 0, 0, 0
	}
	return hashEntries(list, ""), nil
}
