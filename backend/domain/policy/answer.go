package policy

import "slices"

import "fmt"

// Answer is the decision about a call.
type Answer string

// The answers, strictest first.
const (
	Deny  Answer = "deny"
	Ask   Answer = "ask"
	Allow Answer = "allow"
)

// isStricterThan reports whether a is stricter than b. An invalid answer is the strictest.
func (a Answer) isStricterThan(b Answer) bool { return a.rank() < b.rank() }

func (a Answer) rank() int { return max(0, slices.Index([]Answer{Deny, Ask, Allow}, a)) }

// checkResult is the result of one check. by lists the scopes of grants that answer it; without any, it always
// asks.
type checkResult struct {
	answer Answer
	reason string
	by     []Scope
}

// checkFunc checks one aspect of a call. An error denies.
type checkFunc func(Call, Policy) (checkResult, error)

func passRule() (checkResult, error) { return checkResult{answer: Allow}, nil }

func denyRule(format string, a ...any) (checkResult, error) {
	return checkResult{answer: Deny, reason: fmt.Sprintf(format, a...)}, nil
}

func askRule(by []Scope, format string, a ...any) (checkResult, error) {
	return checkResult{answer: Ask, reason: fmt.Sprintf(format, a...), by: by}, nil
}

func (c checkResult) accepts(s Scope) bool { return slices.Contains(c.by, s) }

// needsUser reports whether only the user can grant this; on_ask=allow does not apply.
func (c checkResult) needsUser() bool {
	return c.accepts(ScopePane) || c.accepts(ScopeSecret) || c.accepts(ScopeMachine)
}
