package calls_test

import (
	"cmp"
	"context"
	"math"
	"testing"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/goals/calls"
	"goalpost/backend/storage/store"
)

// TestSpendPlot_DaysOfTheUser sums by the user's days, by model, persona and folder, and leaves out what was free and
// what was before the first day. What belongs to no goal has no folder.
func TestSpendPlot_DaysOfTheUser(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	other := &goal.Goal{ID: goal.ID(store.NewID()), Request: goal.Request{Limits: goal.DefaultLimits()}}
	other.Policy.Dir, other.PersonaCopy = "/home/person/shop", &goal.PersonaCopy{Name: "reviewer"}
	if err := p.store.Goals.Create(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	zone := time.FixedZone("user", 2*60*60)
	api := calls.NewSpendAPI(context.Background(), nil, p.store.Spend, func() time.Time { return p.now.In(zone) })
	spend := func(at time.Time, id goal.ID, model string, usd float64) {
		t.Helper()
		p.now = at
		err := p.store.Spend.RecordSpend(t.Context(), store.SpendEntry{
			Goal: id, Role: "agent", Model: model, Usage: goal.Usage{TokensIn: 10, USD: usd},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	day := func(d, hour int) time.Time { return time.Date(2026, 12, d, hour, 0, 0, 0, time.UTC) }
	spend(time.Date(2026, 10, 3, 9, 0, 0, 0, time.UTC), p.goal, "large", 50) // too long ago
	spend(day(1, 23), p.goal, "large", 0.5)                                  // already the second day there
	spend(day(2, 9), p.goal, "large", 0.25)
	spend(day(2, 10), "", "small", 0.1)
	spend(day(4, 9), p.goal, "free", 0)
	spend(day(4, 10), other.ID, "small", 1)

	type point struct {
		line string
		day  string
		want float64
	}
	lines := map[calls.SpendLineBy]int{calls.SpendLineByDay: 1}
	for by, points := range map[calls.SpendLineBy][]point{
		calls.SpendLineByModel: {
			{"small", "2026-12-01", 0},
			{"small", "2026-12-03", 0.1},
			{"small", "2026-12-04", 1.1},
			{"large", "2026-12-01", 0},
			{"large", "2026-12-02", 0.75},
			{"large", "2026-12-04", 0.75},
		},
		calls.SpendLineByDay:     {{"", "2026-12-01", 0}, {"", "2026-12-02", 0.85}, {"", "2026-12-04", 1.85}},
		calls.SpendLineByPersona: {{"reviewer", "2026-12-03", 0}, {"reviewer", "2026-12-04", 1}, {"", "2026-12-04", 0.85}},
		calls.SpendLineByFolder: {
			{"/home/person/shop", "2026-12-03", 0.75}, {"/home/person/shop", "2026-12-04", 1.75}, {"", "2026-12-04", 0.1},
		},
	} {
		plot, err := api.Plot(by)
		if err != nil || plot.By != by || len(plot.Days) != 30 || plot.Days[29] != "2026-12-04" ||
			len(plot.Lines) != cmp.Or(lines[by], 2) {
			t.Fatalf("%s: %+v, %v", by, plot, err)
		}
		if first := plot.Lines[0].Key; first != points[0].line {
			t.Errorf("%s: %q is first", by, first)
		}
		at := map[string]map[string]float64{}
		for _, line := range plot.Lines {
			at[line.Key] = map[string]float64{}
			for i, usd := range line.USD {
				at[line.Key][plot.Days[i]] = usd
			}
		}
		for _, one := range points {
			if got := at[one.line][one.day]; math.Abs(got-one.want) > 1e-9 {
				t.Errorf("%s: %q on %s: %v, want %v", by, one.line, one.day, got, one.want)
			}
		}
	}
}

func TestSpendPlot_NothingSpent_HasNoLine(t *testing.T) {
	t.Parallel()
	p := newPlotted(t)
	api := calls.NewSpendAPI(context.Background(), nil, p.store.Spend, func() time.Time { return p.now })
	if plot, err := api.Plot(calls.SpendLineByFolder); err != nil || plot.Lines == nil || len(plot.Lines) > 0 {
		t.Errorf("%+v, %v", plot, err)
	}
	if _, err := api.Plot("moon"); err == nil {
		t.Error("an unknown kind of line was accepted")
	}
}
