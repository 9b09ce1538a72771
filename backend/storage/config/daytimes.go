package config

import (
	"fmt"
	"strings"
	"time"

	"goalpost/backend/lib/fault"
)

// DayTime is a time of day, in minutes since midnight.
type DayTime int

// ParseDayTime parses HH:MM.
func ParseDayTime(s string) (DayTime, error) {
	t, err := time.Parse("15:04", s)
	if err != nil || len(s) != len("15:04") {
		return 0, fmt.Errorf("%.20q is not a time of day", s)
	}
	return DayTime(t.Hour()*60 + t.Minute()), nil
}

func isDayTime(s string) bool {
	_, err := ParseDayTime(s)
	return err == nil
}

// On returns the time of day on the day of t, in its zone. A time that the change to summer time leaves out is the
// moment of the change, and of a time that the change to winter time repeats it is the first one.
func (d DayTime) On(t time.Time) time.Time {
	at := time.Date(t.Year(), t.Month(), t.Day(), 0, int(d), 0, 0, t.Location())
	switch got := DayTime(at.Hour()*60 + at.Minute()); {
	case got > d: // left out, and the time after it was taken
		change, _ := at.ZoneBounds()
		return change
	case got < d: // left out, and the time before it was taken
		_, change := at.ZoneBounds()
		return change
	}
	change, _ := at.ZoneBounds()
	if before := at.Add(-time.Hour); before.Before(change) && DayTime(before.Hour()*60+before.Minute()) == d {
		return before
	}
	return at
}

// QuietHours is a range of each day; it may span midnight. The zero value is never.
type QuietHours struct{ from, to DayTime }

// ParseQuietHours parses HH:MM-HH:MM; "" is never.
func ParseQuietHours(s string) (q QuietHours, err error) {
	if s == "" {
		return q, nil
	}
	from, to, ok := strings.Cut(s, "-")
	if q.from, err = ParseDayTime(strings.TrimSpace(from)); err == nil {
		q.to, err = ParseDayTime(strings.TrimSpace(to))
	}
	if err != nil || !ok || q.from == q.to {
		return QuietHours{}, fault.Invalid("quiet_hours", fmt.Sprintf("%.40q is not a range of a day", s),
			"give two times, such as 22:00-07:00, or leave it empty")
	}
	return q, nil
}

// EndAfter returns when the quiet hours that t is in end, in the zone of t; zero if t is not in them.
func (q QuietHours) EndAfter(t time.Time) (end time.Time) {
	if q == (QuietHours{}) {
		return end
	}
	for _, day := range []time.Time{noon(t, -1), noon(t, 0)} { // those that began yesterday, and today
		last := day
		if q.to < q.from {
			last = noon(day, 1)
		}
		from, to := q.from.On(day), q.to.On(last)
		if !t.Before(from) && t.Before(to) {
			return to
		}
	}
	return end
}

// noon returns the middle of a day, which every day has, some days after t.
func noon(t time.Time, days int) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day()+days, 12, 0, 0, 0, t.Location())
}
