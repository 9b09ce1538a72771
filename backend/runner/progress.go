package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner/digest"
)

// The no-progress breaker's bounds: iterations without any movement, and with
// nothing but new things read; hundredths of the money limit.
const (
	maxIdleIterations    = 12
	maxIdleWithoutChange = 60
	maxIdleSpend         = 10
	ongoingGrace         = 20 * time.Minute // with something that continues and shows nothing new
)

// stallDetector looks at the world, not at the words: it stops a run that changes
// nothing that was not there before.
type stallDetector struct {
	worlds  seenSet              // fingerprints
	results seenSet              // sums of what was read
	quiet   int                  // iterations without movement
	unmade  int                  // iterations since the world was last seen to change
	usd     float64              // spent when something last moved
	moved   bool                 // something new was read in this iteration
	waits   bool                 // something that continues was looked at in it, so it does not count
	news    bool                 // and showed something new
	watched map[string]time.Time // when what continues showed something new, by tool and pane
	unseen  bool                 // a file was changed and nothing was looked at since
	acted   bool                 // something may have been changed since the world was looked at
	first   *fingerprintJob      // at what the run begins with; nil once it is known
	partial bool                 // the user was told that not all of the world is looked at
}

// waitTool is the tool that only lets time pass.
const waitTool = "wait"

// noteOngoing takes note of a look at something that continues. As long as it shows
// something new, and for a while after, waiting for it is no standstill: a build
// may be silent for a quarter of an hour.
func (p *stallDetector) noteOngoing(c goal.Call, result string, now time.Time) {
	var at struct{ Pane, Goal string }
	_ = json.Unmarshal([]byte(c.Arguments), &at) // other arguments: another place in the same thing
	key := c.Tool + at.Pane + at.Goal
	if p.watched == nil {
		p.watched = map[string]time.Time{}
	}
	since, known := p.watched[key]
	if c.Tool != waitTool && p.isNew(result) || !known {
		p.watched[key], p.waits, p.news = now, true, known
		return
	}
	p.waits = p.waits || now.Sub(since) < ongoingGrace
}

// isNew says whether a result was never seen before.
func (p *stallDetector) isNew(result string) bool {
	return p.results.add(digest.HashText(result))
}

// noteResult takes note of a call's result. A result of a read that was never seen
// before is movement.
func (p *stallDetector) noteResult(e policy.Effect, o event.Outcome, result string) {
	if e.Control || o != event.OK {
		return
	}
	if p.unseen = len(e.Paths) > 0; p.unseen { // it wrote: that is for the fingerprint to see
		return
	}
	p.moved = p.isNew(result) || p.moved
}

// checkProgress is the last point of an iteration. It looks at the world only when
// nothing else has moved for a while, so that it costs little.
func (r *Run) checkProgress(ctx context.Context) *Stop {
	p := &r.progress
	if !p.waits || p.moved {
		p.quiet, p.unmade = p.quiet+1, p.unmade+1
	}
	if p.moved {
		p.quiet = 0
		delete(p.watched, waitTool)
	}
	if p.moved || p.news {
		p.usd = r.goal.Spent.USD
	}
	p.moved, p.waits, p.news = false, false, false
	if p.quiet < maxIdleIterations && p.unmade < maxIdleWithoutChange && !r.spendStalled() {
		return stopCause(ctx)
	}
	changed, err := r.workspaceChanged(ctx)
	if err != nil {
		return r.stopForError(ctx, "looking whether anything changed", err)
	}
	if changed {
		delete(p.watched, waitTool)
		p.quiet, p.unmade, p.usd = 0, 0, r.goal.Spent.USD
		return stopCause(ctx)
	}
	return &Stop{Exit: goal.Stuck, Reason: r.stallStop()}
}

func (r *Run) spendStalled() bool {
	most := r.goal.Limits.USD
	return most > 0 && (r.goal.Spent.USD-r.progress.usd)*100 >= most*maxIdleSpend
}

func (r *Run) stallStop() string {
	if r.progress.unmade >= maxIdleWithoutChange {
		return fmt.Sprintf("nothing was changed for %d iterations", r.progress.unmade)
	}
	if r.progress.quiet >= maxIdleIterations {
		return fmt.Sprintf("nothing moved for %d iterations: no file, page or check changed, and nothing new was read", r.progress.quiet)
	}
	return fmt.Sprintf("$%.2f were spent and nothing moved", r.goal.Spent.USD-r.progress.usd)
}
