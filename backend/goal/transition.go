package goal

import "fmt"

var arrows = map[Status][]Status{
	Pending:   {Running, Aborted},
	Running:   {Completed, Failed, Aborted, Paused},
	Paused:    {Running, Aborted, Failed},
	Completed: {Running}, // reopen
	Failed:    {Running}, // continue
	Aborted:   {Running}, // continue
}

// CanGo says whether a goal may go from one status to another.
func CanGo(from, to Status) bool {
	for _, s := range arrows[from] {
		if s == to {
			return true
		}
	}
	return false
}

// Go returns an error that names both statuses when the arrow does not exist.
func Go(from, to Status) error {
	if !CanGo(from, to) {
		return fmt.Errorf("a goal that is %s cannot become %s", from, to)
	}
	return nil
}

// Live says whether a status has or may get a running loop.
func (s Status) Live() bool { return s == Pending || s == Running || s == Paused }

// Cut says whether a run that stopped so was cut in whatever it was doing, and
// not at a place of its own.
func (e Exit) Cut() bool {
	switch e {
	case UserPaused, Interrupted, Parked, UserAborted, LimitReached, Faulted:
		return true
	case Done, Stuck, NeedsOperator, GaveUp:
	}
	return false
}

// StatusOf is the status in which an exit leaves a goal.
func StatusOf(e Exit) Status {
	switch e {
	case Done:
		return Completed
	case LimitReached, Faulted:
		return Failed
	case Stuck, NeedsOperator, Parked, UserPaused, Interrupted:
		return Paused
	case UserAborted, GaveUp:
		return Aborted
	}
	return Running
}
