// Package snapshot stores states of a goal's folder, to show what changed in it and to restore it. It needs no git:
// contents are in a file outside of the folder, and nothing in the folder is executed or obeyed except the patterns of
// .gitignore files. It never changes anything in a folder called .git.
package snapshot

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"goalpost/backend/lib/ignore"
	"goalpost/backend/lib/text"
)

// Limits of the file contents of one goal's snapshots, in bytes. Later snapshots may take more than the first, so that
// a folder that fills the first limit can still be compared and restored.
const (
	maxStartBytes = 2 << 30
	maxStepBytes  = 3 << 30
	maxUndoBytes  = 4 << 30
	minFreeBytes  = 512 << 20 // of the disk, which are left for other programs
)

// Kind is the reason for a snapshot.
type Kind string

// The kinds.
const (
	Start      Kind = "start"       // before the first changing call of a goal
	Resume     Kind = "resume"      // before a later run; the changes since the previous snapshot are not the goal's
	Step       Kind = "step"        // after a step
	End        Kind = "end"         // at the end of a run
	BeforeUndo Kind = "before_undo" // before an undo; the changes since the previous snapshot are not the goal's
	AfterUndo  Kind = "after_undo"
)

// Options describe the folder, and the place of its snapshots.
type Options struct {
	Dir     string   // the goal's folder, absolute
	Private string   // the folder of the snapshots, out of the goal's reach; created if missing
	Hidden  []string // folders in Dir, relative to it, that are neither stored nor changed
	// Free returns how many bytes may still be written below Private; nil means no limit.
	Free func() (uint64, error)
}

// Checkpoint describes one snapshot.
type Checkpoint struct {
	N    int // 0 is the start
	Kind Kind
	Step int // the goal's newest step at that time
	At   time.Time
	Redo bool // of AfterUndo: it undid an undo
}

// record is one line of the log: a snapshot as its difference from the one before.
type record struct {
	Kind  Kind                `json:"kind"`
	Step  int                 `json:"step,omitempty"`
	At    int64               `json:"at"` // ns since 1970
	Redo  bool                `json:"redo,omitempty"`
	To    int                 `json:"to,omitempty"`   // of AfterUndo: the restored snapshot; 0 also in older logs
	Part  bool                `json:"part,omitempty"` // of a redo: of some paths only
	Put   []*Entry            `json:"put,omitempty"`
	Gone  []Name              `json:"gone,omitempty"`
	Blobs []blob              `json:"blobs,omitempty"`
	Rules map[string][]string `json:"rules,omitempty"` // of .gitignore files by folder, at the start
}

// Archive has the snapshots of one goal's folder. Only the process with the goal's lock may take snapshots and restore;
// others may read at the same time. All methods may be called concurrently.
type Archive struct {
	o Options

	mu      sync.Mutex
	pack    *pack
	rules   ignore.Rules
	records []record
	last    state // of the newest record
}

// Open opens the archive of a folder, which may be empty.
func Open(o Options) (*Archive, error) {
	if err := os.MkdirAll(o.Private, 0o700); err != nil {
		return nil, fmt.Errorf("saving snapshots: %w", text.StripPathError(err))
	}
	return load(o, true)
}

// Read opens the archive of a folder for reading. Its error is fs.ErrNotExist if there is no snapshot.
func Read(o Options) (*Archive, error) {
	a, err := load(o, false)
	if err == nil && len(a.records) == 0 {
		err = fmt.Errorf("reading snapshots: %w", fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

func (o Options) logPath() string { return filepath.Join(o.Private, "log.jsonl") }

// load reads the log. An incomplete last line is being written, or was when the program was killed.
func load(o Options, repair bool) (*Archive, error) {
	a := &Archive{
		o:     o,
		pack:  &pack{path: filepath.Join(o.Private, "pack"), blobs: map[string]blob{}},
		rules: ignore.Rules{},
		last:  state{},
	}
	b, err := os.ReadFile(o.logPath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading snapshots: %w", text.StripPathError(err))
	}
	read := 0
	for rest := b; ; {
		line, tail, isComplete := bytes.Cut(rest, []byte{'\n'})
		var r record
		if !isComplete || json.Unmarshal(line, &r) != nil {
			break
		}
		read, rest = read+len(line)+1, tail
		a.addRecord(r)
	}
	if repair && read < len(b) {
		if err := os.Truncate(o.logPath(), int64(read)); err != nil {
			return nil, fmt.Errorf("repairing snapshots: %w", text.StripPathError(err))
		}
	}
	return a, nil
}

func (a *Archive) addRecord(r record) {
	for folder, lines := range r.Rules {
		a.rules[folder] = ignore.ParseRules(lines)
	}
	a.pack.restore(r.Blobs)
	a.last.apply(r)
	a.records = append(a.records, r)
}

// apply changes the state before a record to the state of the record.
func (s state) apply(r record) {
	for _, e := range r.Put {
		s[string(e.Path)] = e
	}
	for _, path := range r.Gone {
		delete(s, string(path))
	}
}

// stateAt returns the state of a snapshot. The caller holds mu.
func (a *Archive) stateAt(n int) state {
	s := state{}
	for _, r := range a.records[:n+1] {
		s.apply(r)
	}
	return s
}

// Checkpoints lists the snapshots, oldest first.
func (a *Archive) Checkpoints() []Checkpoint {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := make([]Checkpoint, len(a.records))
	for i, r := range a.records {
		list[i] = Checkpoint{N: i, Kind: r.Kind, Step: r.Step, At: time.Unix(0, r.At), Redo: r.Redo}
	}
	return list
}

// Take takes a snapshot. One of the kind Step or End is not recorded if nothing changed. After an error the archive is
// unchanged.
func (a *Archive) Take(ctx context.Context, kind Kind, step int) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.take(ctx, record{Kind: kind, Step: step})
}

// take takes a snapshot. The caller holds mu.
func (a *Archive) take(ctx context.Context, r record) error {
	limit, err := a.packLimit(r.Kind)
	if err != nil {
		return err
	}
	a.pack.limit = limit
	s := &scan{rules: a.rules, hidden: a.o.Hidden, previous: a.last, pack: a.pack}
	if len(a.records) == 0 {
		s.ruleLines = map[string][]string{}
	}
	if err := s.run(ctx, a.o.Dir); err != nil {
		a.pack.forget()
		return err
	}
	r.At, r.Rules = s.now.UnixNano(), s.ruleLines
	r.difference(a.last, s.entries)
	if (r.Kind == Step || r.Kind == End) && len(r.Put) == 0 && len(r.Gone) == 0 {
		a.last = s.entries // with newer stamps
		return nil
	}
	r.Blobs = a.pack.takeFresh()
	if err := a.write(r); err != nil {
		return err
	}
	a.records, a.last = append(a.records, r), s.entries
	return nil
}

// difference stores in a record how two states differ.
func (r *record) difference(was, is state) {
	for _, path := range slices.Sorted(maps.Keys(is)) {
		if !equalEntries(was[path], is[path]) {
			r.Put = append(r.Put, is[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if is[path] == nil {
			r.Gone = append(r.Gone, Name(path))
		}
	}
}

// packLimit returns the maximum length of the pack, in bytes.
func (a *Archive) packLimit(kind Kind) (int64, error) {
	limit := int64(maxStepBytes)
	switch kind {
	case Start:
		limit = maxStartBytes
	case BeforeUndo, AfterUndo:
		limit = maxUndoBytes
	case Resume, Step, End:
	}
	if a.o.Free == nil {
		return limit, nil
	}
	free, err := a.o.Free()
	if err != nil {
		return 0, err
	}
	return min(limit, a.pack.end+max(0, int64(min(free, maxUndoBytes))-minFreeBytes)), nil
}

// write appends a record to the log, after the contents that it refers to.
func (a *Archive) write(r record) error {
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("saving a snapshot: %w", err)
	}
	f, err := os.OpenFile(a.o.logPath(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("saving a snapshot: %w", text.StripPathError(err))
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("saving a snapshot: %w", text.StripPathError(err))
	}
	return nil
}

// Sync makes the snapshots durable: they survive a loss of power.
func (a *Archive) Sync() error {
	if err := a.pack.sync(); err != nil {
		return fmt.Errorf("saving snapshots: %w", err)
	}
	f, err := os.Open(a.o.logPath())
	if err != nil {
		return fmt.Errorf("saving snapshots: %w", text.StripPathError(err))
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("saving snapshots: %w", text.StripPathError(err))
	}
	return nil
}

// Size returns how many bytes the snapshots take.
func (a *Archive) Size() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.pack.end
}

// Close closes the archive.
func (a *Archive) Close() error { return a.pack.close() }
