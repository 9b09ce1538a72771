package schedules

import (
	"fmt"
	"strconv"
	"strings"
)

// Describe says the timetable in words, such as "at 7:00 from Monday to Friday (Europe/Berlin)".
func (t Timetable) Describe() string {
	parts := []string{t.describeTime()}
	days, weekdays := t.fields[day], t.fields[weekday]
	switch {
	case days.isAny && weekdays.isAny:
		if !t.fields[hour].isAny && t.fields[hour].step == 0 {
			parts = append(parts, "every day")
		}
	case days.isAny:
		parts = append(parts, weekdays.describeNamed(units[weekday], "on"))
	case weekdays.isAny:
		parts = append(parts, days.describeNumbers("on day", "on the days")+" of the month")
	case days.step > 0 || weekdays.step > 0: // as cron does it: both must fit
		parts = append(parts, weekdays.describeNamed(units[weekday], "on")+", if it is "+
			days.describeNumbers("day", "one of the days")+" of the month")
	default:
		parts = append(parts, days.describeNumbers("on day", "on the days")+" of the month and "+
			weekdays.describeNamed(units[weekday], "on"))
	}
	if !t.fields[month].isAny {
		parts = append(parts, t.fields[month].describeNamed(units[month], "in"))
	}
	return strings.Join(parts, " ") + " (" + t.zone.String() + ")"
}

// describeTime says the time of the day.
func (t Timetable) describeTime() string {
	minutes, hours := t.fields[minute], t.fields[hour]
	const mostTimes = 4
	switch {
	case minutes.isAny && hours.isAny:
		return "every minute"
	case minutes.isAny:
		return "every minute " + hours.describeNumbers("of the hour", "of the hours")
	case hours.isAny && minutes.step > 0:
		return fmt.Sprintf("every %d minutes", minutes.step)
	case hours.isAny:
		return "every hour " + minutes.describeNumbers("at minute", "at the minutes")
	case hours.step > 0:
		return fmt.Sprintf("every %d hours, %s", hours.step, minutes.describeNumbers("at minute", "at the minutes"))
	case len(minutes.values)*len(hours.values) > mostTimes:
		return minutes.describeNumbers("at minute", "at the minutes") + " " +
			hours.describeNumbers("of the hour", "of the hours")
	}
	var times []string
	for _, h := range hours.values {
		for _, m := range minutes.values {
			times = append(times, fmt.Sprintf("%d:%02d", h, m))
		}
	}
	return "at " + joinWords(times)
}

// describeNumbers says the values behind a word for one or for several.
func (f field) describeNumbers(one, several string) string {
	words := make([]string, len(f.values))
	for i, v := range f.values {
		words[i] = strconv.Itoa(v)
	}
	if len(words) == 1 {
		return one + " " + words[0]
	}
	return several + " " + f.joinValues(words)
}

// describeNamed says the names of the values behind a preposition.
func (f field) describeNamed(u unit, preposition string) string {
	words := make([]string, len(f.values))
	for i, v := range f.values {
		words[i] = u.names[v-u.min]
	}
	list := f.joinValues(words)
	if strings.Contains(list, " to ") {
		return "from " + list
	}
	return preposition + " " + list
}

// joinValues joins the words of values: three or more that follow each other are a range.
func (f field) joinValues(words []string) string {
	if n := len(f.values); n > 2 && f.values[n-1]-f.values[0] == n-1 {
		return words[0] + " to " + words[n-1]
	}
	return joinWords(words)
}

func joinWords(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
