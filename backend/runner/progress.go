package runner

import (
	"context"
	"crypto/sha256"
	"fmt"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

// The no-progress breaker's bounds: iterations without any movement, and with
// nothing but new things read; hundredths of the money limit.
const (
	mostQuiet  = 12
	mostUnmade = 60
	quietMoney = 10
)

// progress looks at the world, not at the words: it stops a run that changes
// nothing that was not there before.
type progress struct {
	worlds  map[string]bool // fingerprints seen in this run
	results map[[sha256.Size]byte]bool
	quiet   int     // iterations without movement
	unmade  int     // iterations since the world was last seen to change
	usd     float64 // spent when something last moved
	moved   bool    // something new was read, or is waited for, in this iteration
	unseen  bool    // a file was changed and nothing was looked at since
}

// saw takes note of a call's result. A result of a read that was never seen
// before is movement, and so is waiting for what takes its time.
func (p *progress) saw(c goal.Call, e policy.Effect, o event.Outcome, result string) {
	if polls(c) {
		p.moved = true
	}
	if e.Control || o != event.OK {
		return
	}
	if p.unseen = len(e.Paths) > 0; p.unseen { // it wrote: that is for the fingerprint to see
		return
	}
	if p.results == nil {
		p.results = map[[sha256.Size]byte]bool{}
	}
	sum := sha256.Sum256([]byte(result))
	p.moved = p.moved || !p.results[sum]
	p.results[sum] = true
}

// move is the last point of an iteration. It looks at the world only when
// nothing else has moved for a while, so that it costs little.
func (r *Run) move(ctx context.Context) *Stop {
	p := &r.progress
	p.quiet, p.unmade = p.quiet+1, p.unmade+1
	if p.moved {
		p.quiet, p.usd, p.moved = 0, r.goal.Spent.USD, false
	}
	if p.quiet < mostQuiet && p.unmade < mostUnmade && !r.moneyIsQuiet() {
		return stopOf(ctx)
	}
	changed, err := r.worldChanged(ctx)
	if err != nil {
		return r.fault(ctx, "looking whether anything changed", err)
	}
	if changed {
		p.quiet, p.unmade, p.usd = 0, 0, r.goal.Spent.USD
		return stopOf(ctx)
	}
	return &Stop{Exit: goal.Stuck, Reason: r.stillness()}
}

func (r *Run) moneyIsQuiet() bool {
	most := r.goal.Limits.USD
	return most > 0 && (r.goal.Spent.USD-r.progress.usd)*100 >= most*quietMoney
}

func (r *Run) stillness() string {
	if r.progress.unmade >= mostUnmade {
		return fmt.Sprintf("nothing was changed for %d iterations", r.progress.unmade)
	}
	if r.progress.quiet >= mostQuiet {
		return fmt.Sprintf("nothing moved for %d iterations: no file, page or check changed, and nothing new was read", r.progress.quiet)
	}
	return fmt.Sprintf("$%.2f were spent and nothing moved", r.goal.Spent.USD-r.progress.usd)
}

// worldChanged says whether the world is as it never was in this run. Where
// there is nothing to compare, it is taken to move.
func (r *Run) worldChanged(ctx context.Context) (bool, error) {
	world := r.room.World()
	if world == nil {
		return true, nil
	}
	print, err := world.Fingerprint(ctx)
	if err != nil {
		return false, fmt.Errorf("fingerprint: %w", err)
	}
	print += "|" + r.claims.failing()
	if r.progress.worlds == nil {
		r.progress.worlds = map[string]bool{}
	}
	seen := r.progress.worlds[print]
	r.progress.worlds[print] = true
	return !seen, nil
}
