package cli

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// TestSignal_PausingAndClosing_ShareOneDeadline also checks that other errors change neither the deadline nor the code.
func TestSignal_PausingAndClosing_ShareOneDeadline(t *testing.T) {
	now := time.Date(2026, 11, 22, 1, 0, 0, 0, time.UTC)
	late := now.Add(time.Second)
	left := Program{}.exitAfterSignal(exitInterrupted, now)
	if by := now.Add(5 * time.Second); !left.by.Equal(by) {
		t.Errorf("a signal leaves until %s, not %s", left.by, by)
	}
	for name, c := range map[string]struct {
		err error
		by  time.Time
	}{
		"no signal":           {nil, late.Add(defaultCloseWait)},
		"an exit alone":       {exitCode(exitStuck), late.Add(defaultCloseWait)},
		"a signal":            {left, left.by},
		"a signal and faults": {errors.Join(fmt.Errorf("write: %w", errors.New("full")), left), left.by},
	} {
		if by := (Program{}).closeBy(c.err, late); !by.Equal(c.by) {
			t.Errorf("%s: closed by %s, not %s", name, by, c.by)
		}
	}
	var code exitCode
	if !errors.As(errors.Join(left, errors.New("close")), &code) || code != exitInterrupted {
		t.Errorf("the code is %d", code)
	}
}
