package lifecycle

import (
	"testing"
	"time"
)

// TestValidateLimitsLeft_TimeUsedUp_ProposesEnough: when the wall clock is used up, the refusal proposes more than was
// used, even if that was little.
func TestValidateLimitsLeft_TimeUsedUp_ProposesEnough(t *testing.T) {
	for _, c := range []struct{ spent, limit time.Duration }{
		{10 * time.Second, 10 * time.Second},
		{1400 * time.Millisecond, time.Second},
		{time.Minute + 29*time.Second, 20 * time.Second},
		{time.Hour + 29*time.Second, time.Hour},
	} {
		proposed := roundUpTime(c.spent + c.limit)
		if typed, err := time.ParseDuration(proposed.String()); err != nil || typed <= c.spent {
			t.Errorf("%s of %s are used up, and %s is proposed: %v", c.spent, c.limit, proposed, err)
		}
	}
}
