package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner/conversation"
	"goalpost/backend/runner/excerpt"
	"goalpost/backend/runner/loopguard"
	"goalpost/backend/runner/stall"
)

// dispatcher executes the tool calls of a run.
type dispatcher struct {
	run *Run

	tools      map[string]Tool
	specs      []goal.ToolSpec
	guard      *loopguard.Guard
	nestedStop *Stop // by a call within a call
}

// dispatch takes the calls of one turn through the door, in their order. Every
// call gets exactly one result, also when the batch is cut short.
func (d *dispatcher) dispatch(ctx context.Context, calls []goal.Call) *Stop {
	for i, c := range calls {
		if cut := d.interruptReason(ctx); cut != "" {
			return d.run.messages.skipCalls(ctx, calls[i:], cut)
		}
		if stop := d.handleCall(ctx, c); stop != nil {
			return stop
		}
		if why := d.guard.StuckReason(); why != "" {
			return firstStop(d.run.messages.skipCalls(ctx, calls[i+1:], why), &Stop{Exit: goal.Stuck, Reason: why})
		}
		if why := d.batchEndReason(); why != "" && i+1 < len(calls) {
			return d.run.messages.skipCalls(ctx, calls[i+1:], why)
		}
	}
	return nil
}

// batchEndReason says why nothing of this turn is executed any more, "" if it is.
func (d *dispatcher) batchEndReason() string {
	switch {
	case d.run.control.gaveUp != nil:
		return "the goal was given up"
	case d.run.control.question != "":
		return "the user was asked and has not answered yet"
	case d.run.asking.approvals.unanswered != "":
		return "the call before waits for the user's approval"
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

// interruptReason says why the rest of a batch is not executed, "" if it is.
func (d *dispatcher) interruptReason(ctx context.Context) string {
	if stop := d.run.intake.applyUrgentOrders(ctx); stop != nil {
		return stop.Reason
	}
	if d.run.pauseRequested() {
		return "the user paused the goal"
	}
	return ""
}

func (l *messageLog) skipCalls(ctx context.Context, calls []goal.Call, why string) *Stop {
	bodies := make([]event.Body, 0, len(calls))
	for _, c := range calls {
		m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Text: goal.Result{Text: "not executed: " + why}.Envelope()}
		l.conversation.Add(m)
		bodies = append(bodies, &event.Message{Message: m})
	}
	if stop := l.run.journal_.journal(ctx, bodies...); stop != nil {
		return stop
	}
	return stopCause(ctx)
}

// handleCall takes a call of the model through the door.
func (d *dispatcher) handleCall(ctx context.Context, c goal.Call) *Stop {
	stop := d.executeCall(ctx, c, nil)
	if inner := d.nestedStop; inner != nil {
		d.nestedStop = nil
		return firstStop(stop, inner)
	}
	return stop
}

// ExecuteNested takes one more call through the door while the call of a tool is in it:
// a recipe's step. Control tools are for the model alone. An error says why
// nothing more is done.
func (d *dispatcher) ExecuteNested(ctx context.Context, c goal.Call) (step int, result goal.Result, err error) {
	for _, why := range []string{d.interruptReason(ctx), d.batchEndReason()} {
		if why != "" {
			return 0, result, errors.New(why)
		}
	}
	if tool := d.tools[c.Tool]; tool != nil {
		if e, err := tool.Effect(ctx, callArguments(c)); err == nil && e.Control {
			return 0, result, fmt.Errorf("%s is for the agent itself", c.Tool)
		}
	}
	if stop := d.executeCall(ctx, c, &result); stop != nil {
		d.nestedStop = stop
		return 0, result, stop
	}
	return d.run.goal.Spent.Steps, result, nil
}

// executeCall is the one door: loop guard → policy → approval → intent in the journal →
// execute → result in the journal. The result of a call within another goes to that one, and
// not into the conversation.
func (d *dispatcher) executeCall(ctx context.Context, c goal.Call, within *goal.Result) *Stop {
	d.run.goal.Spent.Steps++
	n := d.run.goal.Spent.Steps
	tool, effect, refusal := d.resolveCall(ctx, c)
	grant := ""
	again := d.guard.Check(c, effect)
	if again != "" { // also of what is refused anyhow: arguments that do not fit, a tool that is not there
		refusal = refusalf(event.Denied, "%s", again)
	}
	if refusal.outcome == "" {
		var stop *Stop
		if grant, refusal, stop = d.authorize(ctx, c, n, tool, effect); stop != nil {
			return stop
		}
	}
	intent := &event.StepStarted{StepID: n, Tool: c.Tool, Arguments: c.Arguments, Effect: effect, Grant: grant}
	if stop := d.run.journal_.journal(ctx, append([]event.Body{intent}, d.run.granted.consumeGrant(grant)...)...); stop != nil {
		return stop
	}
	from := d.run.cfg.Clock.Now()
	result, outcome := refusal.result, refusal.outcome
	if outcome == "" {
		over := d.run.granted.openGrantFor(c, effect, grant)
		result, outcome = d.invokeTool(ctx, tool, c, effect)
		over()
		d.markExecuted(c, effect)
	}
	result.Text = d.run.secrets.redact(result.Text)
	whole := strings.ToValidUTF8(result.Text, "\uFFFD")
	if again == "" {
		result.Text = appendHostNote(result.Text, d.guard.Record(c, effect, outcome, result))
	}
	cut := truncateResult(&result, n, conversation.MaxResultBytes(d.run.session.Models().Window))
	d.recordStep(c, n, effect, outcome, whole, result.GoesOn)
	m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Step: n, Text: result.Envelope()}
	said := []event.Body{&event.Message{Message: m}}
	if within == nil {
		d.run.messages.conversation.Add(m)
	} else {
		*within, said = result, nil
	}
	step := &event.Step{
		StepID: n, Tool: c.Tool, Outcome: outcome, MS: d.run.cfg.Clock.Now().Sub(from).Milliseconds(),
		Preview: excerpt.FirstLine(result.Text), Result: result.Text, Image: result.Image,
	}
	if cut {
		step.Whole = []byte(whole)
	}
	if stop := d.run.journal_.journal(ctx, append([]event.Body{step}, said...)...); stop != nil {
		return stop
	}
	if stop := d.run.budget.recordUsage(ctx, result.Usage, c.Tool); stop != nil {
		return stop
	}
	return d.run.asking.askBlockedHosts(ctx, c, n)
}

// markExecuted notes that a call was executed. Waiting is something done: a server may
// have come up.
func (d *dispatcher) markExecuted(c goal.Call, e policy.Effect) {
	if c.Tool == stall.WaitTool {
		d.run.verification.claims.idle = false
	}
	if e.Control {
		return
	}
	d.run.verification.claims.idle = false
	if mayChange(e) {
		d.run.plan.stepUsed = true
		d.run.movement.progress.NoteAction()
	}
}

// mayChange says whether a call may change something.
func mayChange(e policy.Effect) bool { return !e.Control && e.Risk != policy.ReadOnly }

// recordStep keeps the step for critic, judges and the breaker.
func (d *dispatcher) recordStep(c goal.Call, n int, e policy.Effect, o event.Outcome, result string, goesOn bool) {
	if goesOn {
		d.run.movement.progress.NoteOngoing(c, result, d.run.cfg.Clock.Now())
	} else {
		d.run.movement.progress.NoteResult(e, o, result)
	}
	if e.Control {
		return
	}
	d.run.criticism.critic.steps++
	d.run.steps.recent = append(d.run.steps.recent, goal.Step{N: n, Tool: c.Tool, Arguments: c.Arguments, Outcome: string(o), Result: excerpt.Truncate(result, maxJudgedChars)})
	if over := len(d.run.steps.recent) - d.run.steps.recentLimit(); over > 0 {
		d.run.steps.recent = append(d.run.steps.recent[:0], d.run.steps.recent[over:]...)
	}
}

// What critic and judges see of the newest steps: how many, and how much of each
// result in characters. A critic that looks seldom sees more, as its window allows.
const (
	maxRecent      = 40
	maxCriticSteps = 400
	maxJudgedChars = 4000
)

// recentLimit is how many steps are kept at hand: twice what passes between two
// looks of the critic.
func (s *recentSteps) recentLimit() int {
	return max(maxRecent, min(2*s.run.goal.Options.CriticEvery, maxCriticSteps))
}

// stepsForJudge is what a judge is shown of them.
func (s *recentSteps) stepsForJudge() []goal.Step { return s.recent[max(0, len(s.recent)-maxRecent):] }

// invokeTool runs the tool, its secrets filled in. A tool that panics has failed; the loop continues.
func (d *dispatcher) invokeTool(ctx context.Context, tool Tool, c goal.Call, e policy.Effect) (result goal.Result, outcome event.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			d.run.cfg.Log.Error("panic in tool", "tool", c.Tool, "panic", p, "stack", string(debug.Stack()))
			result, outcome = goal.Result{Text: fmt.Sprintf("the tool %s broke: %v", c.Tool, p)}, event.Failed
		}
	}()
	filled, err := d.run.secrets.fillSecrets(ctx, tool, c, e)
	if err != nil {
		return goal.Result{Text: "not executed: " + err.Error()}, event.Failed
	}
	d.run.secrets.exposedSecrets.add(e)
	result = tool.Do(ctx, callArguments(filled))
	if stop := stopCause(ctx); stop != nil && !result.OK {
		result.Text = strings.TrimSpace(result.Text + "\ncut short: " + stop.Reason)
	}
	if !result.OK {
		return result, event.Failed
	}
	return result, event.OK
}

// callArguments of a call without any are an empty object: some models send nothing.
func callArguments(c goal.Call) json.RawMessage {
	if strings.TrimSpace(c.Arguments) == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(c.Arguments)
}

func (d *dispatcher) toolNames() []string {
	names := make([]string, 0, len(d.specs))
	for _, s := range d.specs {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}
