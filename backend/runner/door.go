package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	"goalpost/backend/runner/digest"
	"goalpost/backend/runner/excerpt"
	"goalpost/backend/runner/stall"
)

// dispatch takes the calls of one turn through the door, in their order. Every
// call gets exactly one result, also when the batch is cut short.
func (r *Run) dispatch(ctx context.Context, calls []goal.Call) *Stop {
	for i, c := range calls {
		if cut := r.interruptReason(ctx); cut != "" {
			return r.skipCalls(ctx, calls[i:], cut)
		}
		if stop := r.handleCall(ctx, c); stop != nil {
			return stop
		}
		if why := r.guard.StuckReason(); why != "" {
			return firstStop(r.skipCalls(ctx, calls[i+1:], why), &Stop{Exit: goal.Stuck, Reason: why})
		}
		if why := r.batchEndReason(); why != "" && i+1 < len(calls) {
			return r.skipCalls(ctx, calls[i+1:], why)
		}
	}
	return nil
}

// batchEndReason says why nothing of this turn is executed any more, "" if it is.
func (r *Run) batchEndReason() string {
	switch {
	case r.gaveUp != nil:
		return "the goal was given up"
	case r.question != "":
		return "the user was asked and has not answered yet"
	case r.approvals.unanswered != "":
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
func (r *Run) interruptReason(ctx context.Context) string {
	if stop := r.applyUrgentOrders(ctx); stop != nil {
		return stop.Reason
	}
	if r.pauseRequested() {
		return "the user paused the goal"
	}
	return ""
}

func (r *Run) skipCalls(ctx context.Context, calls []goal.Call, why string) *Stop {
	bodies := make([]event.Body, 0, len(calls))
	for _, c := range calls {
		m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Text: goal.Result{Text: "not executed: " + why}.Envelope()}
		r.conversation.Add(m)
		bodies = append(bodies, &event.Message{Message: m})
	}
	if stop := r.journal(ctx, bodies...); stop != nil {
		return stop
	}
	return stopCause(ctx)
}

// handleCall takes a call of the model through the door.
func (r *Run) handleCall(ctx context.Context, c goal.Call) *Stop {
	stop := r.executeCall(ctx, c, nil)
	if inner := r.nestedStop; inner != nil {
		r.nestedStop = nil
		return firstStop(stop, inner)
	}
	return stop
}

// ExecuteNested takes one more call through the door while the call of a tool is in it:
// a recipe's step. Control tools are for the model alone. An error says why
// nothing more is done.
func (r *Run) ExecuteNested(ctx context.Context, c goal.Call) (step int, result goal.Result, err error) {
	for _, why := range []string{r.interruptReason(ctx), r.batchEndReason()} {
		if why != "" {
			return 0, result, errors.New(why)
		}
	}
	if tool := r.tools[c.Tool]; tool != nil {
		if e, err := tool.Effect(ctx, callArguments(c)); err == nil && e.Control {
			return 0, result, fmt.Errorf("%s is for the agent itself", c.Tool)
		}
	}
	if stop := r.executeCall(ctx, c, &result); stop != nil {
		r.nestedStop = stop
		return 0, result, stop
	}
	return r.goal.Spent.Steps, result, nil
}

// executeCall is the one door: loop guard → policy → approval → intent in the journal →
// execute → result in the journal. The result of a call within another goes to that one, and
// not into the conversation.
func (r *Run) executeCall(ctx context.Context, c goal.Call, within *goal.Result) *Stop {
	r.goal.Spent.Steps++
	n := r.goal.Spent.Steps
	tool, effect, refusal := r.resolveCall(ctx, c)
	grant := ""
	again := r.guard.Check(c, effect)
	if again != "" { // also of what is refused anyhow: arguments that do not fit, a tool that is not there
		refusal = refusalf(event.Denied, "%s", again)
	}
	if refusal.outcome == "" {
		var stop *Stop
		if grant, refusal, stop = r.authorize(ctx, c, n, tool, effect); stop != nil {
			return stop
		}
	}
	intent := &event.StepStarted{StepID: n, Tool: c.Tool, Arguments: c.Arguments, Effect: effect, Grant: grant}
	if stop := r.journal(ctx, append([]event.Body{intent}, r.consumeGrant(grant)...)...); stop != nil {
		return stop
	}
	from := r.cfg.Clock.Now()
	result, outcome := refusal.result, refusal.outcome
	if outcome == "" {
		over := r.openGrantFor(c, effect, grant)
		result, outcome = r.invokeTool(ctx, tool, c, effect)
		over()
		r.markExecuted(c, effect)
	}
	result.Text = r.redact(result.Text)
	whole := strings.ToValidUTF8(result.Text, "\uFFFD")
	if again == "" {
		result.Text = appendHostNote(result.Text, r.guard.Record(c, effect, outcome, result))
	}
	cut := truncateResult(&result, n, conversation.MaxResultBytes(r.room.Models().Window))
	r.recordStep(c, n, effect, outcome, whole, result.GoesOn)
	m := goal.Message{Role: goal.ToolRole, CallID: c.ID, Step: n, Text: result.Envelope()}
	said := []event.Body{&event.Message{Message: m}}
	if within == nil {
		r.conversation.Add(m)
	} else {
		*within, said = result, nil
	}
	step := &event.Step{
		StepID: n, Tool: c.Tool, Outcome: outcome, MS: r.cfg.Clock.Now().Sub(from).Milliseconds(),
		Preview: excerpt.FirstLine(result.Text), Result: result.Text, Image: result.Image,
	}
	if cut {
		step.Whole = []byte(whole)
	}
	if stop := r.journal(ctx, append([]event.Body{step}, said...)...); stop != nil {
		return stop
	}
	if stop := r.recordUsage(ctx, result.Usage, c.Tool); stop != nil {
		return stop
	}
	return r.askBlockedHosts(ctx, c, n)
}

// markExecuted notes that a call was executed. Waiting is something done: a server may
// have come up meanwhile.
func (r *Run) markExecuted(c goal.Call, e policy.Effect) {
	if c.Tool == stall.WaitTool {
		r.claims.idle = false
	}
	if e.Control {
		return
	}
	r.claims.idle = false
	if mayChange(e) {
		r.stepUsed = true
		r.progress.NoteAction()
	}
}

// mayChange says whether a call may change something.
func mayChange(e policy.Effect) bool { return !e.Control && e.Risk != policy.ReadOnly }

// recordStep keeps the step for critic, judges and the breaker.
func (r *Run) recordStep(c goal.Call, n int, e policy.Effect, o event.Outcome, result string, goesOn bool) {
	if goesOn {
		r.progress.NoteOngoing(c, result, r.cfg.Clock.Now())
	} else {
		r.progress.NoteResult(e, o, result)
	}
	if e.Control {
		return
	}
	r.critic.steps++
	r.recent = append(r.recent, goal.Step{N: n, Tool: c.Tool, Arguments: c.Arguments, Outcome: string(o), Result: excerpt.Truncate(result, maxJudgedChars)})
	if over := len(r.recent) - r.recentLimit(); over > 0 {
		r.recent = append(r.recent[:0], r.recent[over:]...)
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
func (r *Run) recentLimit() int {
	return max(maxRecent, min(2*r.goal.Options.CriticEvery, maxCriticSteps))
}

// stepsForJudge is what a judge is shown of them.
func (r *Run) stepsForJudge() []goal.Step { return r.recent[max(0, len(r.recent)-maxRecent):] }

type refusal struct {
	result  goal.Result
	outcome event.Outcome // "" = not refused
}

// resolveCall finds the tool, validates its arguments and computes the effect. Nothing
// has happened when it refuses.
func (r *Run) resolveCall(ctx context.Context, c goal.Call) (Tool, policy.Effect, refusal) {
	tool := r.tools[c.Tool]
	if tool == nil {
		return nil, policy.Effect{}, refusalf(event.Failed, "there is no tool %q. The tools are: %s", c.Tool, strings.Join(r.toolNames(), ", "))
	}
	effect, err := r.computeEffect(ctx, tool, c)
	if err != nil {
		return nil, policy.Effect{}, refusalf(event.Failed, "%s", err.Error())
	}
	if r.goal.Policy.RequireSteps && mayChange(effect) && (r.declared == nil || r.stepUsed) {
		return nil, effect, refusalf(event.Denied, "denied: this goal wants each changing call in a step of its own. Close the open step with verify_step, then open the next with declare_step.")
	}
	return tool, effect, refusal{}
}

// authorize asks the policy, and where it asks, the user. It names the grant that
// allowed the call, "" if none was needed.
func (r *Run) authorize(ctx context.Context, c goal.Call, n int, tool Tool, e policy.Effect) (grant string, no refusal, stop *Stop) {
	call := policy.Call{Tool: c.Tool, Key: digest.CallKey(c), Effect: e}
	if grants := r.approvals.grants.list(); len(grants) > 0 {
		if slices.ContainsFunc(grants, func(g policy.Grant) bool { return g.Scope == policy.ScopeOnce && g.Call == call.Key }) {
			call.Shown = previewDigest(preview(ctx, tool, c))
		}
		if _, stop = r.applyAnswers(ctx); stop != nil { // one may have been taken back
			return "", no, stop
		}
	}
	d := r.evaluatePolicy(call)
	if d.Answer != policy.Ask {
		return d.Grant, refusalFor(d), nil
	}
	a := goal.Approval{Step: n, Tool: c.Tool, Arguments: c.Arguments, Effect: e, Show: preview(ctx, tool, c), Why: d.Reason, Always: d.Always, Offers: d.Offers}
	for i := range a.Offers {
		if a.Offers[i].Scope == policy.ScopeOnce {
			a.Offers[i].Shown = previewDigest(a.Show)
		}
	}
	answer, stop := r.requestApproval(ctx, a)
	switch {
	case stop != nil:
		return "", no, stop
	case answer == nil:
		return "", refusalf(event.Denied, "not executed: it waits for the user's approval. When the user has answered you are told, and may call it again."), nil
	case !answer.Allowed:
		by := "the user"
		if answer.By != "person" {
			by = "this goal's rule for when nobody answers"
		}
		return "", refusalf(event.Denied, "denied by %s: %s.%s Find another way, or call abort_with_report.", by, d.Reason, reasonSuffix(answer.Why)), nil
	}
	var err error
	if call.Effect, err = r.computeEffect(ctx, tool, c); err != nil { // the world continued while the user thought
		return "", refusalf(event.Failed, "%s", err.Error()), r.journal(ctx, r.consumeGrant(answer.Grant.ID)...)
	}
	call.Shown = previewDigest(preview(ctx, tool, c))
	if d = r.evaluatePolicy(call); d.Answer == policy.Allow {
		return d.Grant, no, nil
	}
	return "", refusalf(event.Failed, "not executed: what it would touch changed while the user was asked. Look again, then repeat it if it is still right."),
		r.journal(ctx, r.consumeGrant(answer.Grant.ID)...)
}

// preview is what a user sees of a call besides its arguments.
func preview(ctx context.Context, tool Tool, c goal.Call) string {
	if s, ok := tool.(Previewer); ok {
		return s.Show(ctx, c)
	}
	return ""
}

// previewDigest stands for what was shown where it would be too long to keep.
func previewDigest(shown string) string {
	if shown == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(shown))
	return hex.EncodeToString(sum[:16])
}

// refusalFor turns a decision into a refusal; an Allow is none.
func refusalFor(d policy.Decision) refusal {
	switch d.Answer {
	case policy.Allow:
		return refusal{}
	case policy.Deny, policy.Ask:
	}
	return refusalf(event.Denied, "denied: %s. This will not change during the run; find another way or call abort_with_report.", d.Reason)
}

func refusalf(o event.Outcome, format string, args ...any) refusal {
	return refusal{goal.Result{Text: fmt.Sprintf(format, args...)}, o}
}

// invokeTool runs the tool, its secrets filled in. A tool that panics has failed; the loop continues.
func (r *Run) invokeTool(ctx context.Context, tool Tool, c goal.Call, e policy.Effect) (result goal.Result, outcome event.Outcome) {
	defer func() {
		if p := recover(); p != nil {
			r.cfg.Log.Error("panic in tool", "tool", c.Tool, "panic", p, "stack", string(debug.Stack()))
			result, outcome = goal.Result{Text: fmt.Sprintf("the tool %s broke: %v", c.Tool, p)}, event.Failed
		}
	}()
	filled, err := r.fillSecrets(ctx, tool, c, e)
	if err != nil {
		return goal.Result{Text: "not executed: " + err.Error()}, event.Failed
	}
	r.exposedSecrets.add(e)
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

func (r *Run) toolNames() []string {
	names := make([]string, 0, len(r.specs))
	for _, s := range r.specs {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}

// truncateResult cuts the middle out of a result of more than most bytes and says how to
// get it. A page is as long as it says, or what it says of its end would be wrong.
func truncateResult(r *goal.Result, step, most int) (cut bool) {
	s := strings.ToValidUTF8(r.Text, "\uFFFD")
	if r.More != nil {
		most = conversation.MaxResult
	}
	if r.Budget > 0 {
		most = min(most, r.Budget)
	}
	if r.Text = s; len(s) <= most {
		return false
	}
	half := most / 2
	head, tail := strings.ToValidUTF8(s[:half], ""), strings.ToValidUTF8(s[len(s)-half:], "")
	r.Text = fmt.Sprintf("%s\n… %d bytes left out: read_evidence with the handle \"step:%d\" and the cursor %d continues here …\n%s", head, len(s)-2*half, step, half, tail)
	return true
}
