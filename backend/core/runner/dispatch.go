package runner

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"goalpost/backend/core/runner/conversation"
	"goalpost/backend/core/runner/loopguard"
	"goalpost/backend/core/runner/toolbox"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/text"
)

// dispatcher executes the tool calls of a run, one at a time. It belongs to the goroutine of the loop.
type dispatcher struct {
	goal      *goal.Goal
	clock     Clock
	log       *slog.Logger
	journal   *journalWriter
	messages  *messageLog
	pauser    *pauser
	budget    *budget
	plan      *plan
	requests  *agentRequests
	orders    *orderIntake
	grants    *activeGrants
	approvals *approvals
	secrets   *callSecrets
	steps     *stepRecorder
	snapshots SnapshotTaker // nil if no snapshots are taken

	tools      map[string]Tool
	offer      *toolbox.Toolbox
	more       []string // groups of tools that were not offered at the goal's start
	notice     limitNotice
	window     int  // of the agent's model, in tokens; 0 if unknown
	blind      bool // the model refused pictures
	guard      *loopguard.Guard
	nestedStop *Stop // from a nested call
}

// attach sets the tools and the model's window.
func (d *dispatcher) attach(s Session) {
	d.tools, d.window = map[string]Tool{}, s.Models().Window
	var specs []goal.ToolSpec
	for _, t := range s.Tools() {
		spec := t.Spec()
		d.tools[spec.Name] = t
		specs = append(specs, spec)
	}
	d.offer = toolbox.New(specs, *d.goal)
	d.more = d.offer.WaitingGroups()
}

// dispatchTurn executes the calls of one turn in order. After a failed call, it executes only calls that read,
// because the others may rely on the failed one. Every call gets exactly one result, even if the rest of the turn
// is skipped.
func (d *dispatcher) dispatchTurn(ctx context.Context, calls []goal.Call) *Stop {
	failure := "" // describes the first call that failed
	for i, c := range calls {
		if cut := d.interruptReason(ctx); cut != "" {
			return d.messages.skipCalls(ctx, calls[i:], cut)
		}
		call := d.resolveCall(ctx, c)
		if failure != "" && !call.isReadOnly() {
			if stop := d.messages.skipCalls(ctx, calls[i:i+1], failure); stop != nil {
				return stop
			}
			continue
		}
		if stop := d.handleCall(ctx, call); stop != nil {
			return stop
		}
		if failure == "" && call.outcome != event.OK {
			failure = fmt.Sprintf("call %d of this reply (%s) failed, and this one comes after it. Repeat it if it is still "+
				"right.", i+1, c.Tool)
		}
		if why := d.guard.StuckReason(); why != "" {
			return firstStop(d.messages.skipCalls(ctx, calls[i+1:], why), &Stop{Exit: goal.Stuck, Reason: why})
		}
		if why := d.batchEndReason(); why != "" && i+1 < len(calls) {
			return d.messages.skipCalls(ctx, calls[i+1:], why)
		}
	}
	return nil
}

// batchEndReason returns why the remaining calls of this turn are skipped, "" if they are not.
func (d *dispatcher) batchEndReason() string {
	switch {
	case d.requests.gaveUp != nil:
		return "the goal was given up"
	case d.requests.question.Text != "":
		return "the user was asked and has not answered yet"
	case d.approvals.unanswered != "":
		return "the call before waits for the user's approval"
	case d.requests.wait != nil:
		return "the goal waits for the condition of the call before; repeat this call afterwards if it is still right"
	}
	return ""
}

func appendHostNote(text, note string) string {
	if note == "" {
		return text
	}
	return text + "\n\nA word from the host: " + note
}

func firstStop(stops ...*Stop) *Stop {
	for _, s := range stops {
		if s != nil {
			return s
		}
	}
	return nil
}

// interruptReason returns why the rest of a turn is skipped, "" if it is not.
func (d *dispatcher) interruptReason(ctx context.Context) string {
	if stop := d.orders.applyUrgentOrders(ctx); stop != nil {
		return stop.Reason
	}
	if d.pauser.isPaused() {
		return "the user paused the goal"
	}
	return ""
}

// handleCall executes a call of the model.
func (d *dispatcher) handleCall(ctx context.Context, c *resolvedCall) *Stop {
	stop := d.executeCall(ctx, c, nil)
	if inner := d.nestedStop; inner != nil {
		d.nestedStop = nil
		return firstStop(stop, inner)
	}
	return stop
}

// executeNested makes a call within the call of a tool.
func (d *dispatcher) executeNested(ctx context.Context, c goal.Call) (step int, result goal.Result, err error) {
	for _, why := range []string{d.interruptReason(ctx), d.batchEndReason()} {
		if why != "" {
			return 0, result, errors.New(why)
		}
	}
	call := d.resolveCall(ctx, c)
	if call.effect.Control {
		return 0, result, fmt.Errorf("%s is for the agent itself", c.Tool)
	}
	if _, waits := call.tool.(Waiter); waits {
		return 0, result, fmt.Errorf("%s is for the agent itself", c.Tool)
	}
	if stop := d.executeCall(ctx, call, &result); stop != nil {
		d.nestedStop = stop
		return 0, result, stop
	}
	return d.goal.Spent.Steps, result, nil
}

// executeCall is the only way to execute a tool: loop guard → policy → approval → intent in the journal → execution
// → result in the journal. A nested call writes its result to within instead of the conversation.
func (d *dispatcher) executeCall(ctx context.Context, c *resolvedCall, within *goal.Result) *Stop {
	d.goal.Spent.Steps++
	c.step = d.goal.Spent.Steps
	guardCall := loopguard.NewCall(c.Tool, c.key)
	repeatNote := d.guard.Check(guardCall, c.effect)
	// also counts refused calls: invalid arguments, unknown tools
	if repeatNote != "" && !c.effect.Observed {
		c.refusal = refusalf(event.Denied, "%s", repeatNote)
	}
	if !c.isRefused() && !c.effect.Observed {
		if stop := d.authorizeCall(ctx, c); stop != nil {
			return stop
		}
	}
	if stop := d.recordIntent(ctx, c); stop != nil {
		return stop
	}
	from := d.clock.Now()
	result, outcome := d.performCall(ctx, c)
	c.outcome = outcome
	if d.requests.wait != nil {
		if waits, stop := d.beginWait(ctx, c); waits || stop != nil {
			return stop
		}
	}
	result.Text = d.secrets.redact(appendHostNote(result.Text, c.ignoredNote()))
	full := text.ToUTF8(result.Text)
	if repeatNote == "" {
		result.Text = appendHostNote(result.Text, d.guard.Record(guardCall, c.effect, outcome, result))
	}
	cut := truncateResult(&result, c.step, d.maxResultBytes())
	d.steps.recordStep(c, outcome, full, result.IsOngoing)
	step := &event.Step{
		StepID:  c.step,
		Tool:    c.Tool,
		Outcome: outcome,
		MS:      d.clock.Now().Sub(from).Milliseconds(),
		Preview: text.Truncate(text.FirstLine(cmp.Or(result.Preview, result.Text)), conversation.MaxPreview),
		Result:  result.Text,
		Image:   result.Image,
		Point:   result.Point,
	}
	if cut {
		step.Whole = []byte(full)
	}
	if stop := d.recordResult(ctx, c, step, result, within); stop != nil {
		return stop
	}
	if stop := d.budget.recordUsage(ctx, result.Usage, c.Tool); stop != nil {
		return stop
	}
	return d.approvals.askBlockedHosts(ctx, c)
}

// beginWait leaves a call without a result until its wait is over. The goal does not wait if the user has just been
// asked about something that the agent must know first.
func (d *dispatcher) beginWait(ctx context.Context, c *resolvedCall) (waits bool, stop *Stop) {
	stop = d.approvals.askBlockedHosts(ctx, c)
	if stop != nil || len(d.approvals.notices) > 0 || d.approvals.unanswered != "" {
		d.requests.wait = nil
		return false, stop
	}
	d.requests.wait.Call, d.requests.wait.Step, d.requests.wait.Grant = c.Call, c.step, c.grant
	return true, nil
}

// maxResultBytes limits one result in bytes: by the window of the goal's model, and by what the user chose.
func (d *dispatcher) maxResultBytes() int {
	limit := conversation.MaxResultBytes(d.window)
	if d.goal.MaxOutput > 0 {
		limit = min(limit, d.goal.MaxOutput)
	}
	return limit
}

// recordIntent journals that a call will be executed, and uses up a grant for a single call.
func (d *dispatcher) recordIntent(ctx context.Context, c *resolvedCall) *Stop {
	intent := &event.StepStarted{
		StepID:    c.step,
		Tool:      c.Tool,
		Arguments: c.Arguments,
		Effect:    c.effect,
		Grant:     c.grant,
	}
	return d.journal.append(ctx, append([]event.Body{intent}, d.grants.consume(c.grant)...)...)
}

// performCall runs the tool of a call that was not refused, with its hosts open.
func (d *dispatcher) performCall(ctx context.Context, c *resolvedCall) (goal.Result, event.Outcome) {
	if c.isRefused() {
		return c.refusal.result, c.refusal.outcome
	}
	keeps := d.snapshots != nil && canChange(c.effect)
	if keeps {
		d.snapshots.SnapshotBefore(ctx)
		if stop := stopCause(ctx); stop != nil { // the snapshot may be missing
			return goal.Result{Text: "not executed: " + stop.Reason}, event.Failed
		}
	}
	end := d.grants.openFor(c.Call, c.effect, c.grant)
	result, outcome := d.invokeTool(ctx, c)
	end()
	if keeps {
		d.snapshots.SnapshotAfter(c.step)
	}
	d.steps.markExecuted(c)
	return result, outcome
}

// recordResult journals a step with the message that gives the agent the result.
func (d *dispatcher) recordResult(
	ctx context.Context, c *resolvedCall, step *event.Step, result goal.Result, within *goal.Result,
) *Stop {
	if within != nil {
		*within = result
		return d.journal.append(ctx, step)
	}
	notice := d.notice.take(d.budget, d.steps.claims.failedInARow())
	m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Step: c.step, Text: result.Envelope() + notice}
	if result.Shown && !d.blind {
		m.Images = [][]byte{result.Image}
	}
	d.messages.Add(m)
	return d.journal.append(ctx, step, &event.Message{Message: m})
}

// invokeTool runs the tool with its secrets filled in. A tool that panics counts as failed, and the loop continues.
func (d *dispatcher) invokeTool(ctx context.Context, c *resolvedCall) (result goal.Result, outcome event.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			d.log.Error("panic in tool", "tool", c.Tool, "panic", p, "stack", string(debug.Stack()))
			result, outcome = goal.Result{Text: fmt.Sprintf("the tool %s panicked: %v", c.Tool, p)}, event.Failed
		}
	}()
	filled, err := d.secrets.fillSecrets(ctx, c.tool, c.Call, c.effect)
	if err != nil {
		return goal.Result{Text: "not executed: " + err.Error()}, event.Failed
	}
	d.secrets.exposed.add(c.effect)
	result = c.tool.Do(ctx, json.RawMessage(filled.Arguments))
	if stop := stopCause(ctx); stop != nil && !result.OK {
		result.Text = strings.TrimSpace(result.Text + "\ncut short: " + stop.Reason)
	}
	if !result.OK {
		return result, event.Failed
	}
	return result, event.OK
}
