package runner

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/event"
	"goalpost/backend/goal"
	"goalpost/backend/policy"
	"goalpost/backend/runner/digest"
)

type refusal struct {
	result  goal.Result
	outcome event.Outcome // "" = not refused
}

// resolveCall finds the tool, validates its arguments and computes the effect. Nothing
// has happened when it refuses.
func (d *dispatcher) resolveCall(ctx context.Context, c goal.Call) (Tool, policy.Effect, refusal) {
	tool := d.tools[c.Tool]
	if tool == nil {
		return nil, policy.Effect{}, refusalf(event.Failed, "there is no tool %q. The tools are: %s", c.Tool, strings.Join(d.toolNames(), ", "))
	}
	effect, err := d.run.secrets.computeEffect(ctx, tool, c)
	if err != nil {
		return nil, policy.Effect{}, refusalf(event.Failed, "%s", err.Error())
	}
	if d.run.goal.Policy.RequireSteps && mayChange(effect) && (d.run.plan.declared == nil || d.run.plan.stepUsed) {
		return nil, effect, refusalf(event.Denied, "denied: this goal wants each changing call in a step of its own. Close the open step with verify_step, then open the next with declare_step.")
	}
	return tool, effect, refusal{}
}

// authorize asks the policy, and where it asks, the user. It names the grant that
// allowed the call, "" if none was needed.
func (d *dispatcher) authorize(ctx context.Context, c goal.Call, n int, tool Tool, e policy.Effect) (grant string, no refusal, stop *Stop) {
	call := policy.Call{Tool: c.Tool, Key: digest.CallKey(c), Effect: e}
	if grants := d.run.asking.approvals.grants.list(); len(grants) > 0 {
		if slices.ContainsFunc(grants, func(g policy.Grant) bool { return g.Scope == policy.ScopeOnce && g.Call == call.Key }) {
			call.Shown = previewDigest(preview(ctx, tool, c))
		}
		if _, stop = d.run.asking.applyAnswers(ctx); stop != nil { // one may have been taken back
			return "", no, stop
		}
	}
	decision := d.run.asking.evaluatePolicy(call)
	if decision.Answer != policy.Ask {
		return decision.Grant, refusalFor(decision), nil
	}
	a := goal.Approval{Step: n, Tool: c.Tool, Arguments: c.Arguments, Effect: e, Show: preview(ctx, tool, c), Why: decision.Reason, Always: decision.Always, Offers: decision.Offers}
	for i := range a.Offers {
		if a.Offers[i].Scope == policy.ScopeOnce {
			a.Offers[i].Shown = previewDigest(a.Show)
		}
	}
	answer, stop := d.run.asking.requestApproval(ctx, a)
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
		return "", refusalf(event.Denied, "denied by %s: %s.%s Find another way, or call abort_with_report.", by, decision.Reason, reasonSuffix(answer.Why)), nil
	}
	var err error
	if call.Effect, err = d.run.secrets.computeEffect(ctx, tool, c); err != nil { // the world continued while the user thought
		return "", refusalf(event.Failed, "%s", err.Error()), d.run.journal_.journal(ctx, d.run.granted.consumeGrant(answer.Grant.ID)...)
	}
	call.Shown = previewDigest(preview(ctx, tool, c))
	if decision = d.run.asking.evaluatePolicy(call); decision.Answer == policy.Allow {
		return decision.Grant, no, nil
	}
	return "", refusalf(event.Failed, "not executed: what it would touch changed while the user was asked. Look again, then repeat it if it is still right."),
		d.run.journal_.journal(ctx, d.run.granted.consumeGrant(answer.Grant.ID)...)
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
