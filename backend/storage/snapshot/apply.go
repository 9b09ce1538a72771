package snapshot

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"slices"
)

// maxAppliedBytes is the largest file that Apply copies.
const maxAppliedBytes = 100 << 20

// ApplyRequest describes how the changes of another folder are applied to this one.
type ApplyRequest struct {
	// Force has paths to overwrite although they differ from what the other folder began with, and Keep those to leave as
	// they are.
	Force, Keep []string
	DryRun      bool // change nothing, only return what would be done
}

// Apply makes in this folder what the folder of another archive changed since its start, except for ignored files. It
// takes a snapshot before, which Restore restores, and one after. A path that is neither as the other folder began with
// nor as it is there now is a conflict: unless the request forces or keeps it, Apply lists it as skipped and changes
// nothing. The archive must be empty.
func (a *Archive) Apply(ctx context.Context, from *Archive, q ApplyRequest) (*Outcome, error) {
	c, err := from.Compare(ctx, 0)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.take(ctx, record{Kind: Start}); err != nil {
		return nil, err
	}
	out, work := a.planApply(c, a.last, q)
	hasConflict := slices.ContainsFunc(out.Skipped, func(s Skipped) bool { return s.CanForce })
	if out.Done = inOrderOfTime(work.changes); q.DryRun || hasConflict || len(work.changes) == 0 {
		return out, nil
	}
	if err := a.storeApplied(from, out, work); err != nil {
		return nil, err
	}
	if err := a.Sync(); err != nil { // so that overwritten contents survive a loss of power
		return nil, err
	}
	out.Saved = 0
	err = work.run(ctx, out)
	out.Done = inOrderOfTime(out.Done)
	if after := a.take(context.WithoutCancel(ctx), record{Kind: End}); err == nil {
		err = after
	}
	return out, err
}

// planApply decides which changes are made in this folder, which is in the state is.
func (a *Archive) planApply(c *Comparison, is state, q ApplyRequest) (*Outcome, *restoration) {
	out := &Outcome{Saved: -1}
	work := &restoration{
		archive: a, is: is, target: maps.Clone(is), modes: map[string]fs.FileMode{}, written: map[uint64]string{},
	}
	for _, one := range c.Changes {
		present := is[one.Path]
		switch {
		case one.IsIgnored(), isSameWork(present, one.After), isWithin(one.Path, q.Keep):
		case is.isLeftOut(one.Path):
			out.Skipped = append(out.Skipped, Skipped{Path: one.Path, Why: "it is in a folder of yours that is left out"})
		case !isSameWork(present, one.Before) && !isWithin(one.Path, q.Force):
			out.Skipped = append(out.Skipped, Skipped{one.Path, "it is different in your folder", true})
		case present.isFile() && !a.pack.has(present.SHA256) && !isWithin(one.Path, q.Force):
			out.Skipped = append(out.Skipped, Skipped{one.Path, "its present content is too large to be saved", true})
		default:
			// In the words of a restoration, Before is what will be there.
			change := Change{Path: one.Path, Before: withModeOf(one.After, present), After: present}
			work.changes, work.target[one.Path] = append(work.changes, change), change.Before
		}
	}
	work.addParents()
	return out, work
}

// inOrderOfTime converts the changes of a restoration, in which Before is what will be there.
func inOrderOfTime(changes []Change) []Change {
	list := make([]Change, len(changes))
	for i, one := range changes {
		list[i] = Change{Path: one.Path, Before: one.After, After: one.Before}
	}
	return list
}

// storeApplied copies the contents of the changes into the pack, and skips files that are too large.
func (a *Archive) storeApplied(from *Archive, out *Outcome, work *restoration) error {
	changes := work.changes
	work.changes = nil
	for _, one := range changes {
		isStored, err := a.storeContent(from, one)
		if err != nil {
			return err
		}
		if !isStored {
			out.Skipped = append(out.Skipped, Skipped{Path: one.Path, Why: "it is too large to be copied"})
			continue
		}
		work.changes = append(work.changes, one)
	}
	return nil
}

// storeContent stores what a change will write. It reports false if there is no space for it.
func (a *Archive) storeContent(from *Archive, c Change) (bool, error) {
	e := c.Before
	if !e.isFile() || c.After.hasContentOf(e) {
		return true, nil
	}
	if e.Size > maxAppliedBytes {
		return false, nil
	}
	content, err := from.Present(e, maxAppliedBytes)
	if err != nil {
		return false, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != e.SHA256 {
		return false, fmt.Errorf("%s changed while it was read; try again", Display(c.Path))
	}
	return a.pack.add(e.SHA256, content)
}

// isSameWork compares two entries as git does: by type, content, target and whether the owner may execute them.
func isSameWork(a, b *Entry) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case a.Mode.Type() != b.Mode.Type() || a.LeftOut != b.LeftOut:
		return false
	case a.isDir():
		return true
	}
	const execute = 0o100
	return a.SHA256 == b.SHA256 && a.Target == b.Target && (!a.isFile() || a.Mode&execute == b.Mode&execute)
}

// withModeOf returns an entry with the mode of the file that it replaces. Only whether it can be executed is its own.
func withModeOf(e, present *Entry) *Entry {
	if !e.isFile() || !present.isFile() {
		return e
	}
	const execute = 0o111
	own := *e
	own.Mode = present.Mode&^execute | e.Mode&execute
	return &own
}
