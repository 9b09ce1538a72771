// Package stall detects that a run makes no progress.
package stall

import (
	"encoding/json"
	"fmt"
	"time"

	"goalpost/backend/core/runner/digest"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// Limits of the detector: iterations without any progress, iterations in which the agent only read new things, and
// percent of the spending limit. At warnShare percent of a limit the agent is warned.
const (
	maxIdleIterations    = 12
	maxIdleWithoutChange = 60
	maxIdleSpend         = 10
	warnShare            = 75
	ongoingGrace         = 20 * time.Minute // of waiting for something that continues but shows nothing new
)

// WaitTool is the tool that only lets time pass.
const WaitTool = "wait"

// Detector watches the goal's folder and results instead of the model's words: it detects a run that produces no
// new state. The zero value is for a run that has spent nothing. It is for one goroutine.
type Detector struct {
	fingerprints   seenSet              // fingerprints
	results        seenSet              // hashes of what was read
	quiet          int                  // iterations without progress
	unchangedTurns int                  // iterations since the last seen change of the folder
	usd            float64              // spent at the last progress
	moved          bool                 // something new was read in this iteration
	waits          bool                 // something that continues was read, so the iteration does not count
	news           bool                 // and it showed something new
	watched        map[string]time.Time // when something that continues last showed something new, by tool and pane
	unread         bool                 // a file was changed and nothing was read since
	acted          bool                 // something may have been changed since the last fingerprint
	warned         bool                 // about this standstill
	readingCounts  bool                 // the answer is what was read, so nothing has to be changed
}

// New returns a Detector of a run that begins with the given dollars spent. With readingCounts, the agent may read new
// things for as long as it likes: the goal is an answer.
func New(usd float64, readingCounts bool) Detector {
	return Detector{usd: usd, readingCounts: readingCounts}
}

// NoteOngoing records a result of something that continues. As long as it shows something new, and for ongoingGrace
// after that, waiting for it counts as progress: a build may be silent for a quarter of an hour.
func (d *Detector) NoteOngoing(c goal.Call, result string, now time.Time) {
	var at struct{ Pane, Goal string }
	_ = json.Unmarshal([]byte(c.Arguments), &at) // other arguments select a place in the same output
	key := c.Tool + at.Pane + at.Goal
	if d.watched == nil {
		d.watched = map[string]time.Time{}
	}
	since, isWatched := d.watched[key]
	if c.Tool != WaitTool && d.isNew(result) || !isWatched {
		d.watched[key], d.waits, d.news = now, true, isWatched
		return
	}
	d.waits = d.waits || now.Sub(since) < ongoingGrace
}

// isNew reports whether a result was never seen before.
func (d *Detector) isNew(result string) bool { return d.results.add(digest.HashText(result)) }

// NoteResult records a call's result. A new result of a read is progress.
func (d *Detector) NoteResult(e policy.Effect, o event.Outcome, result string) {
	if e.Control || o != event.OK {
		return
	}
	if d.unread = len(e.Paths) > 0; d.unread { // a write: the fingerprint detects it
		return
	}
	d.NoteOutput(result)
}

// NoteOutput records a text that was read or printed. It is progress if it is new.
func (d *Detector) NoteOutput(text string) { d.moved = d.isNew(text) || d.moved }

// NoteAction records a call that may have changed something.
func (d *Detector) NoteAction() { d.acted = true }

// HasUnreadChange reports whether a file was changed and nothing was read since.
func (d *Detector) HasUnreadChange() bool { return d.unread }

// State is how near to its end a run without progress is.
type State int

// The states. The caller takes a fingerprint of the folder before it acts on one of the last two, because only that
// shows whether the folder has changed. It is expensive.
const (
	Moving State = iota
	NearStop
	Stalled
)

// EndIteration counts an iteration that ends with the given dollars spent; a limit of 0 means none. It returns NearStop
// once, until the next change.
func (d *Detector) EndIteration(usd, limit float64) State {
	if !d.waits || d.moved {
		d.quiet, d.unchangedTurns = d.quiet+1, d.unchangedTurns+1
	}
	if d.moved {
		d.quiet = 0
		delete(d.watched, WaitTool)
	}
	if d.moved && d.readingCounts {
		d.unchangedTurns = 0
	}
	if d.moved || d.news {
		d.usd = usd
	}
	d.moved, d.waits, d.news = false, false, false
	isNear := d.reason(warnShare, usd, limit) != ""
	d.warned = d.warned && isNear
	switch {
	case d.reason(100, usd, limit) != "":
		return Stalled
	case isNear && !d.warned:
		return NearStop
	}
	return Moving
}

// Warning marks the agent as warned, and returns what it must know before the host stops the run.
func (d *Detector) Warning(usd, limit float64) string {
	d.warned = true
	const (
		change = "a change of a file in your folder, or another result of a check"
		read   = ", or something new that you read"
	)
	counts := change + read
	after := fmt.Sprintf("at $%.2f", limit*maxIdleSpend/100)
	switch {
	case d.unchangedTurns*100 >= maxIdleWithoutChange*warnShare:
		counts, after = change, fmt.Sprintf("after %d such turns", maxIdleWithoutChange)
	case d.quiet*100 >= maxIdleIterations*warnShare:
		after = fmt.Sprintf("after %d such turns", maxIdleIterations)
	}
	return fmt.Sprintf("A warning from the host: %s. The host stops this goal as stuck %s. Progress is %s. "+
		"If you know enough, act, or claim with the result; if the goal cannot be reached, call abort_with_report.",
		d.reason(warnShare, usd, limit), after, counts)
}

// AddFingerprint adds a fingerprint of the folder and the failing checks of the last claim. It reports whether this
// combination is new. If the fingerprint is partial, any action since the last one counts as a change.
func (d *Detector) AddFingerprint(print, failingChecks string, partial bool) (changed bool) {
	changed = d.fingerprints.add(print+"|"+failingChecks) || partial && d.acted
	d.acted = false
	return changed
}

// NoteChange records a change of the folder, with the given dollars spent.
func (d *Detector) NoteChange(usd float64) {
	delete(d.watched, WaitTool)
	d.quiet, d.unchangedTurns, d.usd = 0, 0, usd
}

// StopReason describes why a run without progress stops. limit is as in EndIteration.
func (d *Detector) StopReason(usd, limit float64) string { return d.reason(100, usd, limit) }

// reason describes the limit that is used to the given percentage, "" if none is.
func (d *Detector) reason(percent int, usd, limit float64) string {
	switch {
	case d.unchangedTurns*100 >= maxIdleWithoutChange*percent:
		return fmt.Sprintf("nothing was changed for %d turns", d.unchangedTurns)
	case d.quiet*100 >= maxIdleIterations*percent:
		return fmt.Sprintf("no progress for %d turns: no file, page or check changed, and nothing new was read", d.quiet)
	case limit > 0 && (usd-d.usd)*100*100 >= limit*maxIdleSpend*float64(percent):
		return fmt.Sprintf("$%.2f were spent without progress", usd-d.usd)
	}
	return ""
}

// SaveState writes into m what the next run's detector must know.
func (d *Detector) SaveState(m *goal.LoopState) {
	m.Results, m.Fingerprints = d.results.newest(), d.fingerprints.newest()
	m.Quiet, m.Unmade, m.USD, m.StallWarned = d.quiet, d.unchangedTurns, d.usd, d.warned
}

// RestoreState restores the state of the previous run.
func (d *Detector) RestoreState(m goal.LoopState) {
	for _, hash := range m.Results {
		d.results.add(hash)
	}
	for _, print := range m.Fingerprints {
		d.fingerprints.add(print)
	}
	d.quiet, d.unchangedTurns, d.warned = m.Quiet, m.Unmade, m.StallWarned
	if m.USD > 0 {
		d.usd = m.USD
	}
}

// Reset starts counting again, with the given dollars spent: after the user intervened, the same actions may
// succeed.
func (d *Detector) Reset(usd float64) {
	d.fingerprints, d.results = seenSet{}, seenSet{}
	d.quiet, d.unchangedTurns, d.usd = 0, 0, usd
}
