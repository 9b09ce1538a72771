package check

import (
	"goalpost/backend/domain/goal"
)

// Item is a check with its index in the criterion, -1 in pre-flight.
type Item struct {
	goal.Check
	N int
}

// Result is the verdict of one attempt. Retryable marks an error that may not occur again.
type Result struct {
	goal.Verdict
	Retryable bool
}

// NewResult returns a result that a retry would not change.
func NewResult(outcome goal.Outcome, detail string) Result {
	return Result{Verdict: goal.Verdict{Outcome: outcome, Detail: detail}}
}

// RetryableError returns an error that may not occur again.
func RetryableError(err error) Result {
	r := NewResult(goal.CheckErr, err.Error())
	r.Retryable = true
	return r
}

// permanentError returns an error that a retry would not change.
func permanentError(detail string) Result { return NewResult(goal.CheckErr, detail) }
