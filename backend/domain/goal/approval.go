package goal

import "goalpost/backend/domain/policy"

// What happens to an approval that nobody answers (Options.OnAsk).
const (
	OnAskPause = "park"  // the goal pauses as needs_user; also the meaning of ""
	OnAskDeny  = "deny"  // the call is refused
	OnAskAllow = "allow" // the call continues, unless it always needs the user
)

// Approval is a call that waits for the user. It has everything that the user sees, and the answer, which is nil
// before.
type Approval struct {
	ID        string         `json:"request"` // of this goal: a1, a2 …
	Step      int            `json:"step_id"`
	Tool      string         `json:"tool"`
	Arguments string         `json:"arguments"` // all of them, JSON as the model wrote it
	Effect    policy.Effect  `json:"effect"`
	Show      string         `json:"show,omitempty"` // a diff, or what a form would send
	Why       string         `json:"why"`
	Always    bool           `json:"always,omitempty"`
	Offers    []policy.Grant `json:"offers"` // what an approval may cover; "once" comes first
	Answer    *Answer        `json:"-"`
}

// AnsweredByGoalEnd is the Answer.By of requests that were still open when the goal ended.
const AnsweredByGoalEnd = "end"

// Answer says how an approval was settled.
type Answer struct {
	Allowed bool         `json:"allowed"`
	Grant   policy.Grant `json:"grant,omitzero"` // what was allowed
	Why     string       `json:"why,omitempty"`
	By      string       `json:"by"` // user; policy: on_ask decided; AnsweredByGoalEnd
}

// FindOffer returns the offered grant of a scope. "goal" means the widest grant for the goal, and "" means once.
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
