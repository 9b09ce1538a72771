package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/core/runner/digest"
	"goalpost/backend/core/runner/toolbox"
	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/fileio"
)

type refusal struct {
	result  goal.Result
	outcome event.Outcome // "" = not refused
}

// resolvedCall is a call of the agent with what the host knows about it before it is executed. Key, effect and
// preview are computed once. Files and pages may change while the user is asked, so authorizeAgain computes effect
// and preview again.
type resolvedCall struct {
	goal.Call

	step    int      // its number; 0 until it is executed
	key     string   // digest.CallKey
	tool    Tool     // nil if the call is refused
	ignored []string // arguments that the tool does not have
	effect  policy.Effect
	grant   string // what allowed it, "" if none was needed
	refusal refusal
	outcome event.Outcome // "" until it was executed

	previewText *string // what the user is shown; nil until it is needed
}

func (r *resolvedCall) isRefused() bool { return r.refusal.outcome != "" }

// isReadOnly reports whether the call changes nothing. A refused call has no effect at all.
func (r *resolvedCall) isReadOnly() bool {
	if r.effect.Control {
		return r.Tool == "read_evidence" || r.Tool == toolbox.FindTool
	}
	return r.isRefused() || r.effect.Risk == policy.ReadOnly
}

// preview returns what a user sees of the call besides its arguments.
func (r *resolvedCall) preview(ctx context.Context) string {
	if r.previewText == nil {
		preview := previewCall(ctx, r.tool, r.Call)
		r.previewText = &preview
	}
	return *r.previewText
}

// resolveCall finds the tool, brings the arguments into its form and computes the effect. If it refuses, nothing has
// happened.
func (d *dispatcher) resolveCall(ctx context.Context, call goal.Call) *resolvedCall {
	c := &resolvedCall{}
	call.Arguments, c.ignored = d.offer.FitArguments(call)
	c.Call, c.key = call, digest.CallKey(call)
	tool := d.tools[c.Tool]
	if tool == nil {
		c.refusal = refusalf(event.Failed, "%s", d.offer.DescribeUnknown(call))
		return c
	}
	effect, err := d.secrets.computeEffect(ctx, tool, call)
	if err != nil {
		c.refusal = refusalf(event.Failed, "%s", err.Error())
		return c
	}
	c.tool, c.effect = tool, effect
	if d.goal.Policy.RequireSteps && canChange(effect) && !effect.Observed && !d.plan.hasFreshStep() {
		c.refusal = refusalf(event.Denied, "denied: this goal wants each changing call in a step of its own. "+
			"Close the open step with verify_step, then open the next with declare_step.")
	}
	return c
}

// ignoredNote says which arguments were ignored, "" if none were.
func (r *resolvedCall) ignoredNote() string {
	if len(r.ignored) == 0 {
		return ""
	}
	return fmt.Sprintf("%s has no argument %s; it was ignored.", r.Tool, strings.Join(r.ignored, ", "))
}

// withEffect returns the call as the policy judges it.
func (r *resolvedCall) withEffect(effect policy.Effect) policy.Call {
	return policy.Call{Tool: r.Tool, Key: r.key, Effect: effect}
}

// authorizeCall asks the policy and, if the policy says so, the user. It sets the grant that allowed the call, or
// its refusal.
func (d *dispatcher) authorizeCall(ctx context.Context, c *resolvedCall) *Stop {
	call := c.withEffect(c.effect)
	if grants := d.grants.list(); len(grants) > 0 {
		if slices.ContainsFunc(grants, func(g policy.Grant) bool { return g.Scope == policy.ScopeOnce && g.Call == c.key }) {
			call.Shown = previewDigest(c.preview(ctx))
		}
		if stop := d.approvals.takeAnswers(ctx); stop != nil { // the user may have revoked a grant
			return stop
		}
	}
	decision := d.approvals.evaluatePolicy(call)
	if decision.Answer != policy.Ask {
		c.grant, c.refusal = decision.Grant, refusalFor(decision)
		return nil
	}
	answer, stop := d.approvals.requestAnswer(ctx, c.key, c.approval(ctx, decision))
	if stop != nil {
		return stop
	}
	if c.refusal = refusalForAnswer(answer, decision); c.isRefused() {
		return nil
	}
	return d.authorizeAgain(ctx, c, answer.Grant.ID)
}

// approval returns the request that the user is asked to approve.
func (r *resolvedCall) approval(ctx context.Context, decision policy.Decision) goal.Approval {
	a := goal.Approval{
		Step:      r.step,
		Tool:      r.Tool,
		Arguments: r.Arguments,
		Effect:    r.effect,
		Show:      r.preview(ctx),
		Why:       decision.Reason,
		Always:    decision.Always,
		Offers:    decision.Offers,
	}
	for i := range a.Offers {
		if a.Offers[i].Scope == policy.ScopeOnce {
			a.Offers[i].Shown = previewDigest(a.Show)
		}
	}
	return a
}

// authorizeAgain decides about a call after the user has allowed it. Its effect and preview are computed again,
// because files and pages may have changed in the meantime.
func (d *dispatcher) authorizeAgain(ctx context.Context, c *resolvedCall, previous string) *Stop {
	effect, err := d.secrets.computeEffect(ctx, c.tool, c.Call)
	if err != nil {
		c.refusal = refusalf(event.Failed, "%s", err.Error())
		return d.journal.append(ctx, d.grants.consume(previous)...)
	}
	current := previewDigest(previewCall(ctx, c.tool, c.Call))
	request := c.withEffect(effect)
	request.Shown = current
	decision := d.approvals.evaluatePolicy(request)
	if decision.Answer == policy.Allow {
		c.grant = decision.Grant
		return nil
	}
	c.refusal = refusalf(event.Failed, "not executed: what it would touch changed while the user was asked. "+
		"Look again, then repeat it if it is still right.")
	return d.journal.append(ctx, d.grants.consume(previous)...)
}

func previewCall(ctx context.Context, tool Tool, c goal.Call) string {
	if s, ok := tool.(Previewer); ok {
		return s.Show(ctx, c)
	}
	return ""
}

// previewDigest returns a short hash that is stored instead of a preview.
func previewDigest(preview string) string {
	if preview == "" {
		return ""
	}
	return fileio.Hash([]byte(preview))[:32]
}

// refusalForAnswer turns the user's answer into a refusal. A nil answer means that the user has not answered yet.
func refusalForAnswer(answer *goal.Answer, decision policy.Decision) refusal {
	switch {
	case answer == nil:
		return refusalf(event.Denied, "not executed: it waits for the user's approval. "+
			"You get a message when the user has answered, and may call it again then.")
	case answer.Allowed:
		return refusal{}
	}
	by := "the user"
	if answer.By != "user" {
		by = "this goal's rule for when nobody answers"
	}
	return refusalf(event.Denied, "denied by %s: %s.%s Find another way, or call abort_with_report.",
		by, decision.Reason, reasonSuffix(answer.Why))
}

// refusalFor turns a decision into a refusal; an Allow is none.
func refusalFor(d policy.Decision) refusal {
	switch d.Answer {
	case policy.Allow:
		return refusal{}
	case policy.Deny, policy.Ask:
	}
	return refusalf(event.Denied,
		"denied: %s. This will not change during the run; find another way or call abort_with_report.", d.Reason)
}

func refusalf(o event.Outcome, format string, args ...any) refusal {
	return refusal{goal.Result{Text: fmt.Sprintf(format, args...)}, o}
}
