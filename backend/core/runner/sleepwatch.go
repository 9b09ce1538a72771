package runner

import (
	"context"
	"time"

	"goalpost/backend/domain/event"
	"goalpost/backend/domain/goal"
)

// sleepGap is how long the machine must sleep for it to be reported.
const sleepGap = 30 * time.Second

// SleepMeter is a Clock that knows how long the machine has slept since some moment in the past.
type SleepMeter interface{ Slept() time.Duration }

// sleepWatch notices that the machine slept. It belongs to one goroutine.
type sleepWatch struct {
	clock Clock
	meter SleepMeter // nil if the clock is none
	at    time.Time
	slept time.Duration
}

// watchSleep returns a watch that has just been reset.
func (c Config) watchSleep() *sleepWatch {
	w := &sleepWatch{clock: c.Clock}
	w.meter, _ = c.Clock.(SleepMeter)
	w.reset()
	return w
}

func (w *sleepWatch) reset() {
	w.at = w.now()
	if w.meter != nil {
		w.slept = w.meter.Slept()
	}
}

// now returns the time without the monotonic reading, which does not advance while the machine sleeps.
func (w *sleepWatch) now() time.Time { return w.clock.Now().Round(0) }

// sinceReset returns how long the machine has slept since the watch was reset. A clock that cannot tell counts all of
// the time.
func (w *sleepWatch) sinceReset() time.Duration {
	if w.meter != nil {
		return w.meter.Slept() - w.slept
	}
	return w.now().Sub(w.at)
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
