package schedules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"goalpost/backend/lib/fault"
)

// Timetable is a cron expression in a time zone.
type Timetable struct {
	fields [5]field
	expr   string
	zone   *time.Location
}

// ParseTimetable reads a cron expression with five fields. zone is a name such as Europe/Berlin; "" is the computer's.
func ParseTimetable(expr, zone string) (Timetable, error) {
	t := Timetable{zone: time.Local}
	if zone != "" {
		loaded, err := time.LoadLocation(zone)
		if err != nil {
			return t, fault.Invalid("zone", fmt.Sprintf("unknown time zone %q", zone),
				"use a name such as Europe/Berlin, or UTC")
		}
		t.zone = loaded
	}
	expr = strings.ToUpper(strings.TrimSpace(expr))
	if full, ok := shorthands[expr]; ok {
		expr = full
	}
	words := strings.Fields(expr)
	if len(words) != len(t.fields) {
		return t, fault.Invalid("cron", fmt.Sprintf("a time needs five fields (minute, hour, day, month, weekday), not %d",
			len(words)), "write 0 7 * * 1-5 for 7:00 from Monday to Friday")
	}
	for i, word := range words {
		f, err := parseField(units[i], word)
		if err != nil {
			return t, err
		}
		t.fields[i] = f
	}
	t.expr = strings.Join(words, " ")
	if _, err := t.Next(time.Unix(0, 0)); err != nil {
		return t, fault.Invalid("cron", "no such day ever comes", "change the day or the month")
	}
	return t, nil
}

// shorthands are the usual names of timetables.
var shorthands = map[string]string{
	"@HOURLY": "0 * * * *", "@DAILY": "0 0 * * *", "@WEEKLY": "0 0 * * 0", "@MONTHLY": "0 0 1 * *",
	"@YEARLY": "0 0 1 1 *",
}

// Next returns the first time after another one. A time that the change to summer time leaves out does not come that
// day, and one that the change to winter time repeats comes once.
func (t Timetable) Next(after time.Time) (time.Time, error) {
	next, err := gronx.NextTickAfter(t.expr, after.In(t.zone), false)
	if err != nil {
		return time.Time{}, fmt.Errorf("the next time of %q: %w", t.expr, err)
	}
	return next, nil
}

// Upcoming returns the first n times after another one.
func (t Timetable) Upcoming(after time.Time, n int) []time.Time {
	var list []time.Time
	for range n {
		next, err := t.Next(after)
		if err != nil {
			return list
		}
		list, after = append(list, next), next
	}
	return list
}

// Last returns the newest due time from after (excluded) to now (included), and how many there are; 0 if there is
// none.
func (t Timetable) Last(after, now time.Time) (last time.Time, n int) {
	const most = 1000 // of a long absence, the number does not matter
	for n < most {
		next, err := t.Next(after)
		if err != nil || next.After(now) {
			return last, n
		}
		last, after = next, next
		n++
	}
	if before, err := gronx.PrevTickBefore(t.expr, now.In(t.zone), true); err == nil && before.After(last) {
		last = before
	}
	return last, n
}

// unit is what a field counts.
type unit struct {
	name     string
	min, max int
	names    []string // of the values, from min
}

// The places of the fields.
const (
	minute = iota
	hour
	day
	month
	weekday
)

var units = [5]unit{
	minute:  {name: "minute", max: 59},
	hour:    {name: "hour", max: 23},
	day:     {name: "day of the month", min: 1, max: 31},
	month:   {name: "month", min: 1, max: 12, names: monthNames()},
	weekday: {name: "day of the week", max: 7, names: weekdayNames()},
}

func monthNames() (names []string) {
	for m := time.January; m <= time.December; m++ {
		names = append(names, m.String())
	}
	return names
}

func weekdayNames() (names []string) {
	for d := time.Sunday; d <= time.Saturday; d++ {
		names = append(names, d.String())
	}
	return append(names, time.Sunday.String()) // 7 is Sunday, too
}

// field is what a field allows.
type field struct {
	values []int // sorted
	isAny  bool  // it was *
	step   int   // of */step, else 0
}

// parseField reads a list of values, ranges and steps.
func parseField(u unit, word string) (field, error) {
	f := field{isAny: word == "*"}
	if step, ok := strings.CutPrefix(word, "*/"); ok {
		f.step, _ = strconv.Atoi(step)
	}
	for _, part := range strings.Split(word, ",") {
		from, to, step, err := parseRange(u, part)
		if err != nil {
			return f, err
		}
		for v := from; v <= to; v += step {
			f.values = append(f.values, v)
		}
	}
	slices.Sort(f.values)
	f.values = slices.Compact(f.values)
	return f, nil
}

// parseRange reads *, 5, 1-5, each also with /step.
func parseRange(u unit, part string) (from, to, step int, err error) {
	span, stepWord, hasStep := strings.Cut(part, "/")
	step = 1
	if hasStep {
		if step, err = strconv.Atoi(stepWord); err != nil || step < 1 || step > u.max {
			return 0, 0, 0, fault.Invalid("cron", fmt.Sprintf("the step of the %s must be 1 to %d, not %q", u.name, u.max,
				stepWord), "write */5 for every fifth")
		}
	}
	first, last, isRange := strings.Cut(span, "-")
	switch {
	case span == "*":
		from, to = u.min, u.max
		if u.name == units[weekday].name {
			to = 6
		}
		return from, to, step, nil
	case hasStep && !isRange:
		return 0, 0, 0, fault.Invalid("cron", fmt.Sprintf("the %s has a step without a range: %q", u.name, part),
			"write */5, or a range such as 0-30/5")
	}
	if from, err = u.parse(first); err != nil {
		return 0, 0, 0, err
	}
	to = from
	if isRange {
		if to, err = u.parse(last); err != nil {
			return 0, 0, 0, err
		}
	}
	if to < from {
		return 0, 0, 0, fault.Invalid("cron", fmt.Sprintf("the %s goes backwards: %s", u.name, part),
			"write the smaller value first, or list the values with commas")
	}
	return from, to, step, nil
}

// parse reads one value: a number, or the first three letters of a name.
func (u unit) parse(word string) (int, error) {
	for i, name := range u.names {
		if strings.EqualFold(word, name[:3]) {
			return u.min + i, nil
		}
	}
	v, err := strconv.Atoi(word)
	if err != nil || v < u.min || v > u.max || strings.HasPrefix(word, "+") {
		return 0, fault.Invalid("cron", fmt.Sprintf("the %s must be %d to %d, not %q", u.name, u.min, u.max, word),
			"write * for every one")
	}
	return v, nil
}
