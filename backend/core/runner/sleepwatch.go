package runner

import (
	"context"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// sleepGap is how long the machine must sleep for it to be reported.
const sleepGap = 30 * time.Second

// BootClock is a Clock that also knows how long it is since some moment in the past, and for how much of this the
// machine slept. Setting the time changes neither.
type BootClock interface {
	Up() time.Duration
	Slept() time.Duration
}

// stopwatch measures how long something takes while the machine may sleep and its time may be set. With a clock that is
// no BootClock, it counts what the clock shows.
type stopwatch struct {
	clock  Clock
	boot   BootClock // nil if the clock is none
	before time.Duration
	at     time.Time
	up     time.Duration
}

// startWatch returns a stopwatch that shows before and runs.
func (c Config) startWatch(before time.Duration) stopwatch {
	s := stopwatch{clock: c.Clock, before: before, at: c.now()}
	if s.boot, _ = c.Clock.(BootClock); s.boot != nil {
		s.up = s.boot.Up()
	}
	return s
}

func (s stopwatch) elapsed() time.Duration {
	if s.boot != nil {
		return s.before + s.boot.Up() - s.up
	}
	return s.before + s.clock.Now().Round(0).Sub(s.at)
}

// now returns the time without the monotonic reading, which does not advance while the machine sleeps.
func (c Config) now() time.Time { return c.Clock.Now().Round(0) }

// sleepWatch notices that the machine slept. It belongs to one goroutine.
type sleepWatch struct {
	cfg   Config
	since stopwatch
	slept time.Duration // by the BootClock at the last lap
}

// watchSleep returns a watch whose first lap begins.
func (c Config) watchSleep() *sleepWatch {
	w := &sleepWatch{cfg: c, since: c.startWatch(0)}
	if w.since.boot != nil {
		w.slept = w.since.boot.Slept()
	}
	return w
}

// lap returns how long the machine has slept in this lap, and begins the next one at the same moment: no sleep falls
// between two laps. A clock that cannot tell counts all of the time.
func (w *sleepWatch) lap() time.Duration {
	if w.since.boot != nil {
		before := w.slept
		w.slept = w.since.boot.Slept()
		return w.slept - before
	}
	before := w.since.at
	w.since.at = w.cfg.now()
	return w.since.at.Sub(before)
}

// noteSleep journals that the machine slept, if it was for long enough, and reports whether it was.
func (c Config) noteSleep(ctx context.Context, run goal.Run, d time.Duration) bool {
	if d <= sleepGap {
		return false
	}
	slept := &event.Warning{What: event.SleptWarning, Text: "the computer slept for " + goal.FormatDuration(d)}
	if err := c.Store.Events.Append(context.WithoutCancel(ctx), run, slept); err != nil {
		c.Log.Warn("journal that the computer slept", "goal", run.Goal, "error", err)
	}
	return true
}
