package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"goalpost/backend/goal"
	"goalpost/backend/runner/conversation"
)

// runControl is the goal.RunControl of a run: what the run's tools may do with it. It
// is called by tool calls only, one at a time, on the goroutine of the loop;
// PauseRequested may be called by any goroutine.
type runControl struct {
	*agentRequests
	*plan

	goal    goal.ID
	clock   Clock
	gate    *pauseGate
	history History
	calls   *dispatcher
	// what the agent reads of failing checks
	checkOutput goal.CheckOutput
}

// ExecuteNested makes another call within the call of a tool: a step of a recipe. Control tools are for the model
// alone. An error says why no more calls are made.
func (c *runControl) ExecuteNested(ctx context.Context, call goal.Call) (step int, result goal.Result, err error) {
	return c.calls.executeNested(ctx, call)
}

// agentRequests are the agent's requests to its run in this iteration.
type agentRequests struct {
	claim        *pendingClaim
	gaveUp       *givenUp
	question     string // by ask_operator
	questionPane string // where the user is to do it
}

type givenUp struct{ reason, learned string }

// takeClaim removes and returns the claim that waits for verification; nil if there is none.
func (q *agentRequests) takeClaim() *pendingClaim {
	c := q.claim
	q.claim = nil
	return c
}

// Claim asks for verification.
func (q *agentRequests) Claim(rationale, result string) {
	q.claim = &pendingClaim{rationale: rationale, result: result}
}

// GiveUp ends the run as gave_up.
func (q *agentRequests) GiveUp(reason, learned string) { q.gaveUp = &givenUp{reason, learned} }

// AskUser pauses the run until the user has answered; pane is where they are to do
// something, "" if nowhere.
func (q *agentRequests) AskUser(question, pane string) { q.question, q.questionPane = question, pane }

// Wait waits. It ends early when the run is stopped or paused.
func (c *runControl) Wait(ctx context.Context, d time.Duration) time.Duration {
	from := c.clock.Now()
	select {
	case <-ctx.Done():
	case <-c.gate.requested():
	case <-c.clock.After(d):
	}
	return c.clock.Now().Sub(from)
}

// PauseRequested is closed when the user pauses the run, which ends the wait of a tool that takes long.
func (c *runControl) PauseRequested() <-chan struct{} { return c.gate.requested() }

// FindTools describes the tools that a need asks for. The model is offered them from its next turn on.
func (c *runControl) FindTools(need string) string { return c.calls.offer.Find(need) }

// evidencePageBytes limits what one call of read_evidence returns, in bytes.
const evidencePageBytes = 16 << 10

// Evidence reads a page of a long result that the host stored.
func (c *runControl) Evidence(ctx context.Context, handle string, cursor int64) (goal.TextPage, error) {
	if strings.HasPrefix(handle, "check:") && c.checkOutput != goal.CheckOutputFull {
		return goal.TextPage{}, errors.New("the user does not show you the output of the checks (--check-output)")
	}
	whole, err := c.history.Evidence(ctx, c.goal, handle)
	if err != nil {
		return goal.TextPage{}, fmt.Errorf("evidence: %w", err)
	}
	return pageAt(whole, cursor, min(evidencePageBytes, int64(conversation.MaxResultBytes(c.calls.window))))
}

// pageAt cuts between characters, so that the pages join to the whole text.
func pageAt(whole []byte, cursor, most int64) (goal.TextPage, error) {
	size := int64(len(whole))
	if cursor < 0 || cursor > size {
		return goal.TextPage{}, fmt.Errorf("the cursor %d is outside of 0 to %d", cursor, size)
	}
	end := min(cursor+most, size)
	for back := 0; end < size && back < utf8.UTFMax && !utf8.RuneStart(whole[end]); back++ {
		end--
	}
	return goal.TextPage{
		Content:    strings.ToValidUTF8(string(whole[cursor:end]), "\uFFFD"),
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
