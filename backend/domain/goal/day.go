package goal

import "time"

// DayBounds returns the first moment of t's day and that of the next day, in t's time zone. A day on which daylight
// saving time begins or ends is not 24 hours long.
func DayBounds(t time.Time) (start, end time.Time) {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location()), time.Date(year, month, day+1, 0, 0, 0, 0, t.Location())
}
