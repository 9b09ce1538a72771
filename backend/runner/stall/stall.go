// Package stall detects that a run makes no progress.
package stall

import (
	"encoding/json"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner/digest"
)

// The bounds of the detector: iterations without any progress, iterations in which the agent only read new things, and
// percent of the spending limit.
const (
	maxIdleIterations    = 12
	maxIdleWithoutChange = 60
	maxIdleSpend         = 10
	ongoingGrace         = 20 * time.Minute // with something that continues and shows nothing new
)

// WaitTool is the tool that only lets time pass.
const WaitTool = "wait"

// Detector watches the workspace, not the model's words: it detects a run that produces no new state. The zero value
// is for a run that has spent nothing. It is for one goroutine.
type Detector struct {
	workspaces seenSet              // fingerprints
	results    seenSet              // hashes of what was read
	quiet      int                  // iterations without movement
	unmade     int                  // iterations since the workspace was last seen to change
	usd        float64              // spent when something last moved
	moved      bool                 // something new was read in this iteration
	waits      bool                 // something that continues was read in it, so it does not count
	news       bool                 // and showed something new
	watched    map[string]time.Time // when what continues showed something new, by tool and pane
	unread     bool                 // a file was changed and nothing was read since
	acted      bool                 // something may have been changed since the last fingerprint
}

// New returns a Detector of a run that begins with the given dollars spent.
func New(usd float64) Detector { return Detector{usd: usd} }

// NoteOngoing takes note of a result of something that continues. As long as it shows something new, and for a while
// after, waiting for it counts as progress: a build may be silent for a quarter of an hour.
func (d *Detector) NoteOngoing(c goal.Call, result string, now time.Time) {
	var at struct{ Pane, Goal string }
	_ = json.Unmarshal([]byte(c.Arguments), &at) // other arguments: another place in the same thing
	key := c.Tool + at.Pane + at.Goal
	if d.watched == nil {
		d.watched = map[string]time.Time{}
	}
	since, known := d.watched[key]
	if c.Tool != WaitTool && d.isNew(result) || !known {
		d.watched[key], d.waits, d.news = now, true, known
		return
	}
	d.waits = d.waits || now.Sub(since) < ongoingGrace
}

// isNew reports whether a result was never seen before.
func (d *Detector) isNew(result string) bool { return d.results.add(digest.HashText(result)) }

// NoteResult takes note of a call's result. A result of a read that was never seen before is progress.
func (d *Detector) NoteResult(e policy.Effect, o event.Outcome, result string) {
	if e.Control || o != event.OK {
		return
	}
	if d.unread = len(e.Paths) > 0; d.unread { // it wrote: that is for the fingerprint to see
		return
	}
	d.NoteOutput(result)
}

// NoteOutput takes note of a text that was read or printed: it is progress if it is new.
func (d *Detector) NoteOutput(text string) { d.moved = d.isNew(text) || d.moved }

// NoteAction takes note of a call that may have changed something.
func (d *Detector) NoteAction() { d.acted = true }

// HasUnreadChange reports whether a file was changed and nothing was read since.
func (d *Detector) HasUnreadChange() bool { return d.unread }

// EndIteration counts an iteration that ends with the given dollars spent, of a limit that is 0 if there is none. It
// reports whether there was no progress for so long that the run is stuck unless its workspace has changed: the caller
// takes a fingerprint then, which costs more.
func (d *Detector) EndIteration(spent, limit float64) (stalled bool) {
	if !d.waits || d.moved {
		d.quiet, d.unmade = d.quiet+1, d.unmade+1
	}
	if d.moved {
		d.quiet = 0
		delete(d.watched, WaitTool)
	}
	if d.moved || d.news {
		d.usd = spent
	}
	d.moved, d.waits, d.news = false, false, false
	return d.quiet >= maxIdleIterations || d.unmade >= maxIdleWithoutChange || d.hasIdleSpend(spent, limit)
}

// AddFingerprint takes a fingerprint of the workspace and the failing checks of the last
// claim. It reports whether the two never were like this before. A fingerprint of a part of
// the workspace cannot tell: there, what was done since the last one counts as a change.
func (d *Detector) AddFingerprint(print, failingChecks string, partial bool) (changed bool) {
	changed = d.workspaces.add(print+"|"+failingChecks) || partial && d.acted
	d.acted = false
	return changed
}

// NoteChange takes note of a workspace that has changed, with the given dollars spent.
func (d *Detector) NoteChange(spent float64) {
	delete(d.watched, WaitTool)
	d.quiet, d.unmade, d.usd = 0, 0, spent
}

// StopReason describes why a run without progress stops.
func (d *Detector) StopReason(spent float64) string {
	if d.unmade >= maxIdleWithoutChange {
		return fmt.Sprintf("nothing was changed for %d turns", d.unmade)
	}
	if d.quiet >= maxIdleIterations {
		return fmt.Sprintf("nothing moved for %d turns: no file, page or check changed, and nothing new was read",
			d.quiet)
	}
	return fmt.Sprintf("$%.2f were spent and nothing moved", spent-d.usd)
}

func (d *Detector) hasIdleSpend(spent, limit float64) bool {
	return limit > 0 && (spent-d.usd)*100 >= limit*maxIdleSpend
}

// SaveState writes into m what the detector of the next run must know.
func (d *Detector) SaveState(m *goal.LoopState) {
	m.Results, m.Worlds = d.results.newest(), d.workspaces.newest()
	m.Quiet, m.Unmade, m.USD = d.quiet, d.unmade, d.usd
}

// RestoreState restores the state of the previous run.
func (d *Detector) RestoreState(m goal.LoopState) {
	for _, hash := range m.Results {
		d.results.add(hash)
	}
	for _, print := range m.Worlds {
		d.workspaces.add(print)
	}
	d.quiet, d.unmade = m.Quiet, m.Unmade
	if m.USD > 0 {
		d.usd = m.USD
	}
}

// Reset starts the count again, with the given dollars spent: after the user intervened, the same actions may
// succeed.
func (d *Detector) Reset(spent float64) {
	d.workspaces, d.results = seenSet{}, seenSet{}
	d.quiet, d.unmade, d.usd = 0, 0, spent
}
