package goal

import (
	"testing"
	"time"
)

func TestDayBounds_DaylightSavingTime_FollowsTheZone(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones on this machine:", err)
	}
	for _, c := range []struct {
		now   time.Time
		hours float64
	}{
		{time.Date(2026, 3, 29, 12, 0, 0, 0, zone), 23},
		{time.Date(2026, 10, 25, 0, 0, 0, 0, zone), 25},
		{time.Date(2026, 11, 23, 23, 59, 59, 0, zone), 24},
	} {
		start, end := DayBounds(c.now)
		if start.Hour() != 0 || end.Hour() != 0 || end.Sub(start).Hours() != c.hours || c.now.Before(start) ||
			!c.now.Before(end) {
			t.Errorf("%v: %v to %v", c.now, start, end)
		}
	}
}
