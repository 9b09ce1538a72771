package goal

import "goalpost/backend/policy"

// OrderKind is what a user may ask of a live goal.
type OrderKind string

// The orders.
const (
	OrderAbort  OrderKind = "abort"
	OrderPause  OrderKind = "pause"
	OrderSteer  OrderKind = "steer"
	OrderNote   OrderKind = "note"   // words of another agent
	OrderResume OrderKind = "resume" // a parked goal continues now; Text is new limits as JSON, if they change
	OrderAccept OrderKind = "accept" // a manual check that waits passes
	OrderReject OrderKind = "reject" // … is sent back; Text says why

	OrderApprove OrderKind = "approve" // an approval is given, as far as Scope says
	OrderDeny    OrderKind = "deny"    // … is refused; Text says why
	OrderRevoke  OrderKind = "revoke"  // a grant is taken back
)

// Order is one thing that a user asks of a goal, from any process.
type Order struct {
	ID   int64 // its place among the orders that the store keeps, 0 before it is there
	Kind OrderKind
	Text string // the note of the user; of abort and pause, why, "" is the user's word
	// Request names the approval that approve, deny and revoke are about, and who gives
	// the others: a goal, or Desk; "" is the user.
	Request string
	Scope   policy.Scope // of approve
}

// IsValid says whether k is one of the orders.
func (k OrderKind) IsValid() bool {
	switch k {
	case OrderAbort, OrderPause, OrderSteer, OrderNote, OrderResume, OrderAccept, OrderReject, OrderApprove, OrderDeny, OrderRevoke:
		return true
	}
	return false
}

// TamperedMark begins the reason of a goal that paused because a protected file was changed.
const TamperedMark = "what decides about the goal was changed"

// QuestionPrefix begins the reason of a goal that paused for a question of its agent.
const QuestionPrefix = "the agent asks: "
