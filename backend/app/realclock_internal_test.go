package app

import (
	"testing"
	"time"
)

// TestClock_MachineIsAwake_HasNotSlept: time that passes is no sleep, however busy the machine is.
func TestClock_MachineIsAwake_HasNotSlept(t *testing.T) {
	c := newClock()
	before, up := c.Slept(), c.Up()
	if before <= 0 || up < before {
		t.Fatalf("the time since the boot is not read: %s, %s", before, up)
	}
	<-c.After(300 * time.Millisecond)
	const rounding = 100 * time.Millisecond // of the kernel, and the time between its two clocks
	if slept := c.Slept() - before; slept.Abs() > rounding {
		t.Errorf("slept %s", slept)
	}
	if passed := c.Up() - up; passed < 300*time.Millisecond-rounding {
		t.Errorf("only %s passed", passed)
	}
}
