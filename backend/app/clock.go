package app

import (
	"fmt"
	"os"
	"time"

	"goalpost/backend/core/runner"
)

// clock is the real clock.
type clock struct{ began time.Time } // with the monotonic reading

var _ runner.BootClock = clock{}

func newClock() clock { return clock{time.Now()} }

func (clock) Now() time.Time                         { return time.Now() }
func (clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Up returns the time since the boot, which also advances while the machine sleeps. Where the kernel does not tell it,
// sleep does not count.
func (c clock) Up() time.Duration {
	b, err := os.ReadFile("/proc/uptime")
	if err != nil {
		return time.Since(c.began)
	}
	var seconds float64
	if _, err := fmt.Sscan(string(b), &seconds); err != nil {
		return time.Since(c.began)
	}
	return time.Duration(seconds * float64(time.Second))
}

// Slept compares two clocks of the kernel: the monotonic one does not advance while the machine sleeps.
func (c clock) Slept() time.Duration { return c.Up() - time.Since(c.began) }
