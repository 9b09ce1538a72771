package check

import (
	"goalpost/backend/goal"
)

// Indexed is a check of a criterion, with its place there; -1 while there is none.
type Indexed struct {
	goal.Check
	N int
}

// Result is the verdict of one try. Retryable reports that it is an error which another try may not meet.
type Result struct {
	goal.Verdict
	Retryable bool
}

// NewResult returns a result that no other try changes.
func NewResult(outcome goal.Outcome, detail string) Result {
	return Result{Verdict: goal.Verdict{Outcome: outcome, Detail: detail}}
}

// RetryableError is an error that may be gone at the next try.
func RetryableError(err error) Result {
	r := NewResult(goal.CheckErr, err.Error())
	r.Retryable = true
	return r
}

// permanentError is an error that no other try changes.
func permanentError(detail string) Result { return NewResult(goal.CheckErr, detail) }
