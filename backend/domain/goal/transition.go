package goal

import (
	"fmt"
	"slices"
)

var transitions = map[Status][]Status{
	Pending:   {Running, Aborted},
	Running:   {Completed, Failed, Aborted, Paused},
	Paused:    {Running, Aborted, Failed},
	Completed: {Running}, // reopen
	Failed:    {Running}, // continue
	Aborted:   {Running}, // continue
}

// CanTransition reports whether a goal may change from one status to another.
func CanTransition(from, to Status) bool { return slices.Contains(transitions[from], to) }

// Transition returns an error that names both statuses if the transition is not allowed.
func Transition(from, to Status) error {
	if !CanTransition(from, to) {
		return fmt.Errorf("a goal that is %s cannot become %s", from, to)
	}
	return nil
}

// IsActive reports whether a goal with this status has a running loop or will get one.
func (s Status) IsActive() bool { return s == Pending || s == Running || s == Paused }

// Interrupted reports whether the run was cut off at an arbitrary point instead of one that it chose.
func (e Exit) Interrupted() bool {
	switch e {
	case PausedByUser, Interrupted, WaitingForProvider, DailyLimitReached, AbortedByUser, LimitReached, ExitError:
		return true
	case Done, Stuck, NeedsUser, GaveUp, WaitingForCondition:
	}
	return false
}

// IsParked reports whether a goal with this exit resumes automatically.
func (e Exit) IsParked() bool {
	return e == WaitingForProvider || e == DailyLimitReached || e == WaitingForCondition
}

// StatusForExit returns the status of a goal after a run with this exit.
func StatusForExit(e Exit) Status {
	switch e {
	case Done:
		return Completed
	case LimitReached, ExitError:
		return Failed
	case Stuck, NeedsUser, WaitingForProvider, DailyLimitReached, WaitingForCondition, PausedByUser, Interrupted:
		return Paused
	case AbortedByUser, GaveUp:
		return Aborted
	}
	return Running
}
