package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

// BlockedHosts is a Session that blocks connections of programs to hosts that are not allowed. No tool can predict
// those connections.
type BlockedHosts interface {
	// BlockedHosts returns the hosts that were blocked since the last call, each once.
	BlockedHosts() []policy.Effect
	// ApplyGrants sets everything that the user has allowed, after each change. now lists the hosts that the calls
	// being executed may contact; they are open until the next change.
	ApplyGrants(grants, now []policy.Grant)
}

// askBlockedHosts asks about all hosts that were blocked while a call ran, in one request round. The call has
// ended; the agent gets the answers after the calls of the turn.
func (ap *approvals) askBlockedHosts(ctx context.Context, c *resolvedCall) *Stop {
	if ap.blocked == nil {
		return nil
	}
	var requests []goal.Approval
	for _, e := range ap.blocked.BlockedHosts() {
		d := ap.evaluatePolicy(c.withEffect(e))
		if d.Answer != policy.Ask || slices.Contains(ap.deniedHosts, hostsOf(e)) {
			continue
		}
		// The call has ended, so an approval can only apply to the goal.
		offers := slices.DeleteFunc(d.Offers, func(g policy.Grant) bool { return g.Scope == policy.ScopeOnce })
		if len(offers) == 0 {
			continue
		}
		a, stop := ap.openRequest(ctx, c.key, goal.Approval{
			Step:      c.step,
			Tool:      c.Tool,
			Arguments: c.Arguments,
			Effect:    e,
			Why:       d.Reason,
			Always:    d.Always,
			Offers:    offers,
		})
		if stop != nil {
			return stop
		}
		requests = append(requests, a)
	}
	if len(requests) == 0 {
		return nil
	}
	answers, stop := ap.awaitAnswers(ctx, slices.Clone(requests))
	for _, a := range requests {
		ap.noteBlockedHost(a, answers[a.ID])
	}
	return stop
}

// noteBlockedHost records the answer about one host for the agent; nil means that there is none yet.
func (ap *approvals) noteBlockedHost(a goal.Approval, answer *goal.Answer) {
	who := a.Tool
	if a.Effect.Earlier {
		who = "a program that ran before " + a.Tool
	}
	switch where := hostsOf(a.Effect); {
	case answer == nil:
	case answer.Allowed:
		ap.notices = append(ap.notices,
			fmt.Sprintf("%s was stopped from reaching %s; the user has allowed it now. Repeat it if it is still wanted.",
				who, where))
	default:
		ap.deniedHosts = append(ap.deniedHosts, where)
		refusal := "the user refused it"
		if answer.By != "user" {
			refusal = "the rule of this goal for when nobody answers refused it"
		}
		ap.notices = append(ap.notices,
			fmt.Sprintf("%s was stopped from reaching %s, and %s.%s", who, where, refusal, reasonSuffix(answer.Why)))
	}
}

func hostsOf(e policy.Effect) string { return strings.Join(e.Hosts, ", ") }
