package calls

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/lib/fault"
	"goalpost/backend/storage/store"
)

// SpendLineBy is what the lines of a plot are.
type SpendLineBy string

// What lines are.
const (
	SpendLineByDay     SpendLineBy = "day" // one line for all
	SpendLineByModel   SpendLineBy = "model"
	SpendLineByPersona SpendLineBy = "persona"
	SpendLineByFolder  SpendLineBy = "folder"
)

type (
	// SpendPlot is what all goals together spent from a day on, by day in the user's time zone.
	SpendPlot struct {
		By    SpendLineBy `json:"by"`
		Days  []string    `json:"days"`  // dates such as 2026-11-23, oldest first, also those on which nothing was spent
		Lines []SpendLine `json:"lines"` // the largest first, none of them free
	}

	// SpendLine is what one model was paid, or what goals with one persona or in one folder cost.
	SpendLine struct {
		// Key is "" if the model is not known, for deleted goals, what no goal asked for, and the line for all.
		Key string `json:"key"`
		// USD is what was spent from the first day to the end of each day.
		USD []float64 `json:"usd"`
	}
)

// spendPlotDays is how many days a plot has, with today.
const spendPlotDays = 30

// Plot sums up the spending of the last 30 days by day, for each model, persona or folder, or for all.
func (s *SpendAPI) Plot(by SpendLineBy) (out SpendPlot, err error) {
	defer s.recoverProblem(&err)
	if !slices.Contains([]SpendLineBy{SpendLineByDay, SpendLineByModel, SpendLineByPersona, SpendLineByFolder}, by) {
		return out, fault.Invalid("by", fmt.Sprintf("spend cannot be plotted by %q", by),
			"use day, model, persona or folder")
	}
	now := s.now()
	days := make([]string, spendPlotDays)
	for i := range days {
		days[i] = now.AddDate(0, 0, i-spendPlotDays+1).Format(time.DateOnly)
	}
	since, _ := goal.DayBounds(now.AddDate(0, 0, 1-spendPlotDays))
	sums, err := s.store.SpendSince(s.ctx, since)
	return SpendPlot{By: by, Days: days, Lines: spendLines(sums, by, days, now.Location())}, err
}

func spendLines(sums []store.SpendSum, by SpendLineBy, days []string, zone *time.Location) []SpendLine {
	byKey := map[string][]float64{}
	for _, sum := range sums {
		day := slices.Index(days, sum.Minute.In(zone).Format(time.DateOnly))
		if day < 0 || sum.USD <= 0 { // after today if the clock was set back
			continue
		}
		key := lineKey(sum, by)
		if byKey[key] == nil {
			byKey[key] = make([]float64, len(days))
		}
		byKey[key][day] += sum.USD
	}
	lines := []SpendLine{}
	for key, usd := range byKey {
		for i := 1; i < len(usd); i++ {
			usd[i] += usd[i-1]
		}
		lines = append(lines, SpendLine{Key: key, USD: usd})
	}
	last := len(days) - 1
	slices.SortFunc(lines, func(a, b SpendLine) int {
		return cmp.Or(cmp.Compare(b.USD[last], a.USD[last]), cmp.Compare(a.Key, b.Key))
	})
	return lines
}

func lineKey(sum store.SpendSum, by SpendLineBy) string {
	switch by {
	case SpendLineByModel:
		return sum.Model
	case SpendLineByPersona:
		return sum.Persona
	case SpendLineByFolder:
		return sum.Folder
	case SpendLineByDay:
	}
	return ""
}
