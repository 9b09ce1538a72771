package model

// Remedy is what ends a failure.
type Remedy string

// The remedies.
const (
	// Wait means that the failure can pass: the same turn is tried again, and then the goal waits.
	Wait Remedy = "wait"
	// AskUser means that only the user can end it.
	AskUser Remedy = "ask"
	// ChangeTurn means that the same turn fails again, and another one may succeed. The caller changes it.
	ChangeTurn Remedy = "change"
)

// Remedy returns what ends the failure. A web page or garbage in place of a reply can pass: a network's login page and
// a proxy that restarts send them.
func (e *Error) Remedy() Remedy {
	switch e.Kind {
	case TooLong, NoVision, Mistaken:
		return ChangeTurn
	case Auth, Refused, BadRequest, Untrusted:
		return AskUser
	case InvalidReply:
		if e.cause == nativeOllama || e.cause == noTLS { // the base URL is wrong
			return AskUser
		}
	case Unreachable, Silent, RateLimited, Overloaded, Truncated:
	}
	return Wait
}

// IsQuota reports whether the credit or the quota of the account is used up.
func (e *Error) IsQuota() bool { return e.cause == noCredit }

// IsRetryable reports whether the same turn is tried again soon. The provider's decision counts, except where the turn
// must change first.
func (e *Error) IsRetryable() bool {
	if e.ShouldRetry != nil && e.Remedy() != ChangeTurn {
		return *e.ShouldRetry
	}
	return e.Remedy() == Wait
}
