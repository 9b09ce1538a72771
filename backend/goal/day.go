package goal

import "time"

// DayBounds returns the first moment of the day that t is in, and that of the next day, in t's time zone. A day that
// begins or ends daylight saving time is shorter or longer than others.
func DayBounds(t time.Time) (start, end time.Time) {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, t.Location()), time.Date(year, month, day+1, 0, 0, 0, 0, t.Location())
}
