package goal

// OrderKind is what a person may ask of a live goal.
type OrderKind string

// The orders.
const (
	OrderAbort OrderKind = "abort"
	OrderPause OrderKind = "pause"
	OrderSteer OrderKind = "steer"
)

// Order is one thing that a person asks of a goal, from any process.
type Order struct {
	Kind OrderKind
	Text string // steer: the note
}
