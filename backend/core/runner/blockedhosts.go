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

// askBlockedHosts asks about the hosts that were blocked while a call ran, and does not wait for the answers: the
// agent reads what was refused, and may continue with what does not need these hosts.
func (ap *approvals) askBlockedHosts(ctx context.Context, c *resolvedCall) *Stop {
	if ap.blocked == nil {
		return nil
	}
	for _, e := range ap.blocked.BlockedHosts() {
		d := ap.evaluatePolicy(c.withEffect(e))
		if d.Answer != policy.Ask || slices.Contains(ap.deniedHosts, hostsOf(e)) || ap.isAsked(e) {
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
		var answer *goal.Answer
		if ap.approvalTimeout(ctx) <= 0 {
			if answer, stop = ap.answerByRule(ctx, a); stop != nil {
				return stop
			}
		}
		ap.noteBlockedHost(a, answer)
	}
	return nil
}

// isAsked reports whether the user has been asked about a blocked host and has not answered.
func (ap *approvals) isAsked(e policy.Effect) bool {
	return slices.ContainsFunc(ap.openHosts(), func(a goal.Approval) bool {
		return hostsOf(a.Effect) == hostsOf(e) && !e.Risk.Exceeds(a.Effect.Risk)
	})
}

// openHosts returns the requests about hosts that have no answer, oldest first.
func (ap *approvals) openHosts() []goal.Approval {
	return slices.DeleteFunc(ap.pendingApprovals(), func(a goal.Approval) bool { return !isAboutHost(a) })
}

// reportAnswersSoFar tells the agent what the user answered while it worked. Where nobody answered in time, the
// goal's rule does.
func (ap *approvals) reportAnswersSoFar(ctx context.Context) *Stop {
	if len(ap.pending) == 0 {
		return nil
	}
	if stop := ap.takeAnswers(ctx); stop != nil {
		return stop
	}
	for _, a := range slices.Clone(ap.pending) {
		if !isAboutHost(a.Approval) || ap.clock.Now().Before(a.deadline) {
			continue
		}
		answer, stop := ap.answerByRule(ctx, a.Approval)
		if stop != nil {
			return stop
		}
		if answer != nil {
			ap.noteBlockedHost(a.Approval, answer)
		}
	}
	return ap.sendNotices(ctx)
}

// awaitHosts waits for the answers about hosts, because the agent has nothing else to do. Without an answer, the run
// pauses.
func (ap *approvals) awaitHosts(ctx context.Context) *Stop {
	requests := ap.openHosts()
	answers, stop := ap.awaitAnswers(ctx, slices.Clone(requests))
	for _, a := range requests {
		if answer := answers[a.ID]; answer != nil {
			ap.noteBlockedHost(a, answer)
		}
	}
	switch {
	case stop != nil:
		return stop
	case ap.unanswered != "":
		return ap.pauseForApproval()
	}
	return ap.sendNotices(ctx)
}

// pauseInstead returns the pause for the user's answer about a host, instead of the end of a goal that got nowhere
// without it.
func (ap *approvals) pauseInstead(stop *Stop) *Stop {
	open := ap.openHosts()
	if len(open) == 0 || stop.Exit != goal.Stuck && stop.Exit != goal.GaveUp {
		return stop
	}
	ap.unanswered = open[0].ID
	pause := ap.pauseForApproval()
	pause.Reason += "; without it, the goal got no further: " + stop.Reason
	return pause
}

// noteBlockedHost records for the agent what was refused, and the answer about it; nil means that there is none yet.
func (ap *approvals) noteBlockedHost(a goal.Approval, answer *goal.Answer) {
	who := a.Tool
	if a.Effect.Earlier {
		who = "a program that ran before " + a.Tool
	}
	switch where := hostsOf(a.Effect); {
	case answer == nil:
		ap.notices = append(ap.notices,
			fmt.Sprintf("%s was stopped from reaching %s: %s. The user is asked about this host, and you get a message with "+
				"the answer. Continue with what does not need it. If nothing else can be done, reply without calling a "+
				"tool: the goal then waits for the answer.", who, where, a.Why))
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
