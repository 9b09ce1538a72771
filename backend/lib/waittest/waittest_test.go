package waittest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestReached_BecomesTrue_StopsAsking(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		if !Reached(t.Context(), time.Minute, func() bool { asked++; return asked == 3 }) || asked != 3 {
			t.Errorf("asked %d times, want 3", asked)
		}
	})
}

func TestReached_LimitOrEndedContext_ReportsFalse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if Reached(t.Context(), time.Second, func() bool { return false }) || time.Since(began) != time.Second {
			t.Errorf("gave up after %s, want 1s", time.Since(began))
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		asked := 0
		if Reached(ended, time.Minute, func() bool { asked++; return false }) || asked != 1 {
			t.Errorf("asked %d times after the context ended, want once", asked)
		}
	})
}

func TestScale_SlowMachine_IsLonger(t *testing.T) {
	for slowness, want := range map[string]time.Duration{
		"": time.Second, "0": time.Second, "x": time.Second, "4": 4 * time.Second,
	} {
		t.Setenv("TEST_SLOWNESS", slowness)
		if got := Scale(time.Second); got != want {
			t.Errorf("TEST_SLOWNESS=%q: %s, want %s", slowness, got, want)
		}
	}
}
