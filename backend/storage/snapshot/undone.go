package snapshot

import (
	"slices"
	"strings"
)

// LastUndo returns the snapshot from before the newest undo that was not undone, which a redo restores. ok is false if
// there is none, or if the goal has changed files since.
func (a *Archive) LastUndo() (n int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var open []int // the snapshots from before the undos
	for i, r := range a.records {
		switch {
		case r.Kind == Step || r.Kind == End:
			open = nil
		case r.Kind != AfterUndo || r.Part:
		case !r.Redo:
			open = append(open, i-1)
		case r.To == 0: // of an older version, which redid the newest undo
			open = open[:max(0, len(open)-1)]
		default:
			open = slices.DeleteFunc(open, func(n int) bool { return n >= r.To })
		}
	}
	if len(open) == 0 {
		return 0, false
	}
	return open[len(open)-1], true
}

// Undone returns which of the goal's changes undos have reverted since the goal's last change, as of the newest
// snapshot. isAll reports whether none of the goal's changes is left.
func (a *Archive) Undone() (changes []Change, isAll bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last := 0 // the newest state that the goal left
	for i, r := range a.records {
		if r.Kind == Step || r.Kind == End {
			last = i
		}
	}
	if last == 0 {
		return nil, false
	}
	start, left, reverted := a.stateAt(0), a.stateAt(last), a.revertedSince(last)
	c := &Comparison{}
	for path := range left {
		if !equalEntries(start[path], left[path]) {
			c.add(start, left, path)
		}
	}
	for path := range start {
		if left[path] == nil {
			c.add(start, left, path)
		}
	}
	slices.SortFunc(c.Changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	isAll = true
	for _, one := range c.Files() {
		if reverted[one.Path] && !equalEntries(left[one.Path], a.last[one.Path]) {
			changes = append(changes, one)
		}
		isAll = isAll && equalEntries(start[one.Path], a.last[one.Path])
	}
	return changes, isAll && len(changes) > 0
}

// revertedSince returns the paths that undos and redos after snapshot n changed. The caller holds mu.
func (a *Archive) revertedSince(n int) map[string]bool {
	paths := map[string]bool{}
	for _, r := range a.records[n+1:] {
		if r.Kind != AfterUndo {
			continue
		}
		for _, e := range r.Put {
			paths[string(e.Path)] = true
		}
		for _, path := range r.Gone {
			paths[string(path)] = true
		}
	}
	return paths
}
