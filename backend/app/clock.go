package app

import (
	"fmt"
	"os"
	"time"

	"goalpost/backend/core/runner"
)

// clock is the real clock.
type clock struct{ began time.Time } // with the monotonic reading

var _ runner.SleepMeter = clock{}

func newClock() clock { return clock{time.Now()} }

func (clock) Now() time.Time                         { return time.Now() }
func (clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Slept compares two clocks of the kernel: the time since the boot advances while the machine sleeps, the monotonic
// clock does not. Setting the wall clock changes neither.
func (c clock) Slept() time.Duration {
	b, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return 0
	}
	var seconds float64
	if _, err := fmt.Sscan(string(b), &seconds); err != nil {
		return 0
	}
	return time.Duration(seconds*float64(time.Second)) - time.Since(c.began)
}
