package cli

import (
	"fmt"
	"strings"
	"time"

	"goalpost/backend/event"
	"goalpost/backend/goal"
)

// formatPlan writes the agent's plan in one line.
func formatPlan(items []goal.Todo) string {
	parts := make([]string, len(items))
	for i, t := range items {
		mark := "○"
		if t.Done {
			mark = "✓"
		}
		parts[i] = mark + " " + t.Text
	}
	return strings.Join(parts, " · ")
}

func reviewWord(r goal.Review) string {
	switch {
	case r.Error:
		return "error"
	case r.Confirmed:
		return "confirmed"
	}
	return "rejected"
}

func formatLimits(l *event.LimitsChanged) string {
	or := func(n int64, say string) string {
		if n == 0 {
			return "none"
		}
		return say
	}
	return fmt.Sprintf("%s, turns %s, claims per check %s, tokens %s, money %s",
		or(l.WallClockMS, goal.FormatDuration(time.Duration(l.WallClockMS)*time.Millisecond)),
		or(int64(l.Iterations), fmt.Sprint(l.Iterations)),
		or(int64(l.ClaimsPerCheck), fmt.Sprint(l.ClaimsPerCheck)), or(l.Tokens, fmt.Sprint(l.Tokens)),
		or(int64(l.USD*100), fmt.Sprintf("$%.2f", l.USD)))
}
