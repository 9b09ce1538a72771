package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// runControl is the goal.RunControl of a run, through which its tools control it. Only tool calls use it, one at a
// time, on the goroutine of the loop. PauseRequested may be called by any goroutine.
type runControl struct {
	*agentRequests
	*plan

	goal     goal.ID
	clock    Clock
	pauser   *pauser
	evidence EvidenceReader
	calls    *dispatcher
	// checkOutput limits what the agent reads of failing checks.
	checkOutput goal.CheckOutput
}

// ExecuteNested makes a call, a step of a recipe, within the call of a tool. Control tools are only for the model.
// After an error, the caller must make no more calls.
func (r *runControl) ExecuteNested(ctx context.Context, call goal.Call) (step int, result goal.Result, err error) {
	return r.calls.executeNested(ctx, call)
}

// agentRequests are the agent's requests to its run in this iteration.
type agentRequests struct {
	claim    *pendingClaim
	gaveUp   *abortRequest
	question goal.Question // by ask_user or request_access; without a text there is none
	wait     *goal.Wait    // nil if the agent does not wait for a condition
}

type abortRequest struct{ reason, lessons string }

// takeClaim removes and returns the claim that waits for verification; nil if there is none.
func (a *agentRequests) takeClaim() *pendingClaim {
	c := a.claim
	a.claim = nil
	return c
}

// Claim requests verification.
func (a *agentRequests) Claim(rationale, result string) {
	a.claim = &pendingClaim{rationale: rationale, result: result}
}

// GiveUp ends the run as gave_up.
func (a *agentRequests) GiveUp(reason, lessons string) { a.gaveUp = &abortRequest{reason, lessons} }

// AskUser pauses the run until the user answers.
func (a *agentRequests) AskUser(q goal.Question) { a.question = q }

// WaitUntil stops the run until the host finds that a condition is met. A claim of the same turn is decided first.
func (r *runControl) WaitUntil(w goal.Wait, limit time.Duration) error {
	if r.claim != nil {
		return errors.New("the claim of this reply is decided first; wait afterwards if you still need to")
	}
	w.Since = r.clock.Now().UTC().Truncate(time.Millisecond)
	w.Until = w.Since.Add(limit)
	r.wait = &w
	return nil
}

// Wait waits, at most until the run is stopped or paused. It returns how long it waited.
func (r *runControl) Wait(ctx context.Context, d time.Duration) time.Duration {
	from := r.clock.Now()
	select {
	case <-ctx.Done():
	case <-r.pauser.requested():
	case <-r.clock.After(d):
	}
	return r.clock.Now().Sub(from)
}

// PauseRequested is closed when the user pauses the run, so that a long call of a tool can end early.
func (r *runControl) PauseRequested() <-chan struct{} { return r.pauser.requested() }

// FindTools describes the tools that match a need. The model is offered them from its next turn on.
func (r *runControl) FindTools(need string) string { return r.calls.offer.Find(need) }

// maxEvidencePageBytes limits what one call of read_evidence returns, in bytes.
const maxEvidencePageBytes = 16 << 10

// Evidence reads a page of a long result that the host stored.
func (r *runControl) Evidence(ctx context.Context, handle string, cursor int64) (goal.TextPage, error) {
	if strings.HasPrefix(handle, "check:") && r.checkOutput != goal.CheckOutputFull {
		return goal.TextPage{}, errors.New("the user hides the output of the checks from you (--check-output)")
	}
	content, err := r.evidence.ReadEvidence(ctx, r.goal, handle)
	if err != nil {
		return goal.TextPage{}, fmt.Errorf("evidence: %w", err)
	}
	return pageAt(content, cursor, min(maxEvidencePageBytes, int64(r.calls.maxResultBytes())))
}

// pageAt returns a page that ends between two characters, so that the pages join to the whole text.
func pageAt(content []byte, cursor, limit int64) (goal.TextPage, error) {
	size := int64(len(content))
	if cursor < 0 || cursor > size {
		return goal.TextPage{}, fmt.Errorf("the cursor %d is outside of 0 to %d", cursor, size)
	}
	end := min(cursor+limit, size)
	for back := 0; end < size && back < utf8.UTFMax && !utf8.RuneStart(content[end]); back++ {
		end--
	}
	return goal.TextPage{
		Content:    text.ToUTF8(string(content[cursor:end])),
		HasMore:    end < size,
		NextCursor: end,
		TotalBytes: size,
	}, nil
}

var (
	_ goal.RunControl  = (*runControl)(nil)
	_ goal.EndControl  = (*agentRequests)(nil)
	_ goal.PlanControl = (*plan)(nil)
)
