package goal

import "goalpost/backend/policy"

// What an approval does with nobody there (Options.OnAsk).
const (
	OnAskPause = "park"  // the goal pauses as needs_operator; "" is this, too
	OnAskDeny  = "deny"  // the call is refused
	OnAskAllow = "allow" // the call continues, but never what always asks
)

// Approval is a call that waits for a user, with everything that the user is
// shown, and the answer if there is one.
type Approval struct {
	ID        string         `json:"request"` // of this goal: a1, a2 …
	Step      int            `json:"step_id"`
	Tool      string         `json:"tool"`
	Arguments string         `json:"arguments"` // all of them, JSON as the model wrote it
	Effect    policy.Effect  `json:"effect"`
	Show      string         `json:"show,omitempty"` // a diff, or what a form would send
	Why       string         `json:"why"`
	Always    bool           `json:"always,omitempty"`
	Offers    []policy.Grant `json:"offers"` // what an approval may cover, once first
	Answer    *Answer        `json:"-"`
}

// AnsweredByGoalEnd is who answers what nobody had answered when the goal ended.
const AnsweredByGoalEnd = "end"

// Answer is how an approval was settled.
type Answer struct {
	Allowed bool         `json:"allowed"`
	Grant   policy.Grant `json:"grant,omitzero"` // what was allowed
	Why     string       `json:"why,omitempty"`
	By      string       `json:"by"` // person; policy: on_ask decided; AnsweredByGoalEnd
}

// FindOffer finds the grant of a scope; "goal" is the widest that is offered for the
// goal, "" is once.
func (a Approval) FindOffer(scope policy.Scope) (policy.Grant, bool) {
	if scope == "" {
		scope = policy.ScopeOnce
	}
	for _, o := range a.Offers {
		if o.Scope == scope || scope == "goal" && o.Scope != policy.ScopeOnce {
			o.ID = a.ID
			return o, true
		}
	}
	return policy.Grant{}, false
}
