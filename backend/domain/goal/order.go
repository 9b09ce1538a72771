package goal

import "goalpost/backend/domain/policy"

// OrderKind is a kind of instruction for an active goal.
type OrderKind string

// The kinds.
const (
	OrderAbort  OrderKind = "abort"
	OrderPause  OrderKind = "pause"
	OrderSteer  OrderKind = "steer"
	OrderNote   OrderKind = "note"   // a note from another agent
	OrderResume OrderKind = "resume" // a parked goal continues now; Text is a ResumeChange as JSON
	OrderAccept OrderKind = "accept" // a pending manual check passes
	OrderReject OrderKind = "reject" // a pending manual check fails; Text is the reason

	OrderApprove OrderKind = "approve" // a request is approved, within Scope
	OrderDeny    OrderKind = "deny"    // a request is denied; Text is the reason
	OrderRevoke  OrderKind = "revoke"  // a grant is revoked
)

// Order is one instruction of the user to a goal, from any process.
type Order struct {
	ID   int64 // its id in the store, 0 before it is stored
	Kind OrderKind
	Text string // the user's note; for abort and pause the reason, "" if the user gave none
	// Request names the approval that approve, deny and revoke refer to. For the other kinds, it names the sender:
	// a goal, or ExternalAgent; "" is the user.
	Request string
	Scope   policy.Scope // of approve
}

// IsValid reports whether k is one of the kinds.
func (o OrderKind) IsValid() bool {
	switch o {
	case OrderAbort, OrderPause, OrderSteer, OrderNote, OrderResume, OrderAccept, OrderReject, OrderApprove, OrderDeny,
		OrderRevoke:
		return true
	}
	return false
}

// ResumeChange is what the user changes of a goal that continues.
type ResumeChange struct {
	Limits
	// its new model, with those for while it is away; "" keeps the ones that it has
	Provider  string   `json:"provider,omitempty"`
	Model     string   `json:"model,omitempty"`
	Fallbacks []string `json:"fallbacks,omitempty"`
}

// QuestionPrefix begins the reason of a goal that paused for a question of its agent.
const QuestionPrefix = "the agent asks: "
