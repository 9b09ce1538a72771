package schedules_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/adhocore/gronx"

	"goalpost/backend/goals/api"
	"goalpost/backend/goals/schedules"
)

func parse(t *testing.T, cron, zone string) schedules.Timetable {
	t.Helper()
	table, err := schedules.ParseTimetable(cron, zone)
	if err != nil {
		t.Fatalf("%s: %v", cron, err)
	}
	return table
}

func TestDescribe_EachForm_IsASentence(t *testing.T) {
	t.Parallel()
	for cron, want := range map[string]string{
		"0 7 * * 1-5":          "at 7:00 from Monday to Friday",
		"30 6,18 * * *":        "at 6:30 and 18:30 every day",
		"*/15 * * * *":         "every 15 minutes",
		"5 * * * *":            "every hour at minute 5",
		"0 */2 * * *":          "every 2 hours, at minute 0",
		"* * * * *":            "every minute",
		"* 9 * * *":            "every minute of the hour 9 every day",
		"0,20,40 9-11 * * mon": "at the minutes 0, 20 and 40 of the hours 9 to 11 on Monday",
		"0 9 1,15 * *":         "at 9:00 on the days 1 and 15 of the month",
		"0 9 1 jan,jul *":      "at 9:00 on day 1 of the month in January and July",
		"0 9 13 * fri":         "at 9:00 on day 13 of the month and on Friday",
		"0 9 */10 * fri":       "at 9:00 on Friday, if it is one of the days 1, 11, 21 and 31 of the month",
		"@daily":               "at 0:00 every day",
		"0 0 * 6-8 sun,wed":    "at 0:00 on Sunday and Wednesday from June to August",
		"  0   12 * *  7 ":     "at 12:00 on Sunday",
		"0 8 * * 0,6":          "at 8:00 on Sunday and Saturday",
		"15 10 29 2 *":         "at 10:15 on day 29 of the month in February",
		"0 9-17/4 * * *":       "at 9:00, 13:00 and 17:00 every day",
	} {
		if got := parse(t, cron, "UTC").Describe(); got != want+" (UTC)" {
			t.Errorf("%s: %q, want %q", cron, got, want)
		}
	}
}

func TestParseTimetable_WrongText_NamesTheField(t *testing.T) {
	t.Parallel()
	for cron, want := range map[string]string{
		"":               "five fields",
		"0 7 * *":        "five fields",
		"0 0 7 * * 1":    "five fields",
		"60 * * * *":     `the minute must be 0 to 59, not "60"`,
		"0 24 * * *":     `the hour must be 0 to 23, not "24"`,
		"0 7 0 * *":      `the day of the month must be 1 to 31, not "0"`,
		"0 7 * 13 *":     `the month must be 1 to 12, not "13"`,
		"0 7 * * 8":      `the day of the week must be 0 to 7, not "8"`,
		"0 7 * * mo":     `not "MO"`,
		"0 7,,8 * * *":   `the hour must be 0 to 23, not ""`,
		"*/0 * * * *":    "the step of the minute must be 1 to 59",
		"*/x * * * *":    "the step of the minute",
		"5/10 * * * *":   "a step without a range",
		"30-10 * * * *":  "goes backwards",
		"-5 * * * *":     "the minute must be",
		"+5 * * * *":     "the minute must be",
		"0 7 31 2 *":     "no such day ever comes",
		"0 7 * * 1\n* *": "five fields",
		"L * * * *":      "the minute must be",
		"0 0 ? * *":      "the day of the month must be",
	} {
		_, err := schedules.ParseTimetable(cron, "UTC")
		if p := api.ToProblem(err); err == nil || p.Field != "cron" || p.Hint == "" || !strings.Contains(p.Message, want) {
			t.Errorf("%q: %+v, want %q", cron, p, want)
		}
	}
	if _, err := schedules.ParseTimetable("0 7 * * *", "Mars/Olympus"); api.ToProblem(err).Field != "zone" {
		t.Errorf("an unknown zone: %v", err)
	}
}

// TestNext_SummerTime_NothingTwice: the night in which 2:30 does not exist has no run, and the one in which it comes
// twice has one.
func TestNext_SummerTime_NothingTwice(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cron, after string
		want        []string
	}{
		{"30 2 * * *", "2027-03-27 12:00", []string{"2027-03-29 02:30 +0200", "2027-03-30 02:30 +0200"}},
		{"30 2 * * *", "2027-10-30 12:00", []string{"2027-10-31 02:30 +0100", "2027-11-01 02:30 +0100"}},
		{"0 * * * *", "2027-10-31 01:30", []string{
			"2027-10-31 02:00 +0100", "2027-10-31 03:00 +0100", "2027-10-31 04:00 +0100",
		}},
		{"0 * * * *", "2027-03-28 00:30", []string{"2027-03-28 01:00 +0100", "2027-03-28 03:00 +0200"}},
		{"0 9 31 * *", "2027-01-31 09:00", []string{"2027-03-31 09:00 +0200", "2027-05-31 09:00 +0200"}},
		{"0 9 29 2 *", "2027-01-01 00:00", []string{"2028-02-29 09:00 +0100"}},
	} {
		after, err := time.ParseInLocation("2006-01-02 15:04", c.after, berlin)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, at := range parse(t, c.cron, "Europe/Berlin").Upcoming(after, len(c.want)) {
			got = append(got, at.Format("2006-01-02 15:04 -0700"))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s after %s: %v, want %v", c.cron, c.after, got, c.want)
		}
	}
}

// TestLast_Absence_OneTime: of all times in an absence, the newest counts, also after years.
func TestLast_Absence_OneTime(t *testing.T) {
	t.Parallel()
	table := parse(t, "*/10 * * * *", "UTC")
	start := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		now  time.Time
		want time.Time
		n    int
	}{
		{start.Add(9 * time.Minute), time.Time{}, 0},
		{start.Add(10 * time.Minute), start.Add(10 * time.Minute), 1},
		{start.Add(35 * time.Minute), start.Add(30 * time.Minute), 3},
		{start.AddDate(3, 0, 0).Add(5 * time.Minute), start.AddDate(3, 0, 0), 1000},
	} {
		if got, n := table.Last(start, c.now); !got.Equal(c.want) || n != c.n {
			t.Errorf("%v: %v, %d", c.now, got, n)
		}
	}
}

// FuzzParseTimetable: what is accepted is accepted by the library that finds the times, and the next time fits.
func FuzzParseTimetable(f *testing.F) {
	for _, seed := range []string{"0 7 * * 1-5", "*/5 0-3 1,15 jan-mar 7", "59 23 31 12 6", "0-30/7 */3 * * sun,tue"} {
		f.Add(seed)
	}
	after := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, cron string) {
		table, err := schedules.ParseTimetable(cron, "UTC")
		if err != nil {
			return
		}
		if !strings.HasPrefix(strings.TrimSpace(cron), "@") && !gronx.IsValid(cron) {
			t.Fatalf("gronx refuses %q", cron)
		}
		next, err := table.Next(after)
		if err != nil || !next.After(after) || next.Second() != 0 {
			t.Fatalf("%q: %v, %v", cron, next, err)
		}
		if words := table.Describe(); strings.ContainsAny(words, "*\n") || fmt.Sprint(next) == "" {
			t.Fatalf("%q: %q", cron, words)
		}
	})
}
