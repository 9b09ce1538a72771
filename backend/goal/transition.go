package goal

import "fmt"

var transitions = map[Status][]Status{
	Pending:   {Running, Aborted},
	Running:   {Completed, Failed, Aborted, Paused},
	Paused:    {Running, Aborted, Failed},
	Completed: {Running}, // reopen
	Failed:    {Running}, // continue
	Aborted:   {Running}, // continue
}

// CanTransition says whether a goal may go from one status to another.
func CanTransition(from, to Status) bool {
	for _, s := range transitions[from] {
		if s == to {
			return true
		}
	}
	return false
}

// Transition returns an error that names both statuses when the arrow does not exist.
func Transition(from, to Status) error {
	if !CanTransition(from, to) {
		return fmt.Errorf("a goal that is %s cannot become %s", from, to)
	}
	return nil
}

// IsActive says whether a status has or may get a running loop.
func (s Status) IsActive() bool { return s == Pending || s == Running || s == Paused }

// Interrupted says whether a run that stopped so was cut in whatever it was doing, and
// not at a place of its own.
func (e Exit) Interrupted() bool {
	switch e {
	case PausedByUser, Interrupted, WaitingForProvider, AbortedByUser, LimitReached, ExitError:
		return true
	case Done, Stuck, NeedsUser, GaveUp:
	}
	return false
}

// StatusForExit is the status in which an exit leaves a goal.
func StatusForExit(e Exit) Status {
	switch e {
	case Done:
		return Completed
	case LimitReached, ExitError:
		return Failed
	case Stuck, NeedsUser, WaitingForProvider, PausedByUser, Interrupted:
		return Paused
	case AbortedByUser, GaveUp:
		return Aborted
	}
	return Running
}
