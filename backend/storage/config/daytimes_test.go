package config

import (
	"testing"
	"time"
)

// TestQuietHours_EveryKindOfDay_EndsOnTime: ranges of one day, over midnight, and on the days on which the clocks of
// Berlin change, 29 March and 25 October 2026.
func TestQuietHours_EveryKindOfDay_EndsOnTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ hours, at, end string }{ // times in UTC; end "": not quiet
		{"", "2026-11-30T22:00:00Z", ""},
		{"13:00-14:00", "2026-11-30T11:59:59Z", ""},
		{"13:00-14:00", "2026-11-30T12:00:00Z", "2026-11-30T13:00:00Z"},
		{"13:00-14:00", "2026-11-30T13:00:00Z", ""},
		{"22:00-07:00", "2026-11-30T20:59:00Z", ""},
		{"22:00-07:00", "2026-11-30T21:00:00Z", "2026-12-01T06:00:00Z"},
		{"22:00-07:00", "2026-12-01T05:59:59Z", "2026-12-01T06:00:00Z"},
		{"22:00-07:00", "2026-12-01T06:00:00Z", ""},
		{"22:00-07:00", "2026-12-31T23:30:00Z", "2027-01-01T06:00:00Z"},
		// The night is an hour shorter.
		{"22:00-07:00", "2026-03-28T22:00:00Z", "2026-03-29T05:00:00Z"},
		// 2:30 is left out: it ends with the change at 3:00.
		{"22:00-02:30", "2026-03-29T00:59:00Z", "2026-03-29T01:00:00Z"},
		{"22:00-02:30", "2026-03-29T01:00:00Z", ""},
		{"02:30-05:00", "2026-03-29T00:59:00Z", ""},
		{"02:30-05:00", "2026-03-29T01:00:00Z", "2026-03-29T03:00:00Z"},
		// The night is an hour longer.
		{"22:00-07:00", "2026-10-24T20:00:00Z", "2026-10-25T06:00:00Z"},
		// 2:30 comes twice: it ends with the first one, and does not begin again.
		{"22:00-02:30", "2026-10-25T00:29:00Z", "2026-10-25T00:30:00Z"},
		{"22:00-02:30", "2026-10-25T00:30:00Z", ""},
		{"22:00-02:30", "2026-10-25T01:10:00Z", ""},
	} {
		q, err := ParseQuietHours(c.hours)
		if err != nil {
			t.Fatal(err)
		}
		at, err := time.Parse(time.RFC3339, c.at)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if end := q.EndAfter(at.In(berlin)); !end.IsZero() {
			got = end.UTC().Format(time.RFC3339)
		}
		if got != c.end {
			t.Errorf("%s at %s: ends %q, want %q", c.hours, c.at, got, c.end)
		}
	}
}

func TestParseQuietHours_NoRange_IsRefused(t *testing.T) {
	for _, s := range []string{
		"22:00", "22-7", "22:00-24:00", "7:00-22:00", "07:00-07:00", "a-b", "-", "22:00-07:00-08:00",
	} {
		if q, err := ParseQuietHours(s); err == nil {
			t.Errorf("%q: %+v", s, q)
		}
	}
}
