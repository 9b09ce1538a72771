package goal

import (
	"fmt"
	"strings"
	"time"
)

// Wait is a condition for which a goal waits between two runs. The host looks at it, and no model is asked.
type Wait struct {
	For   string    `json:"for"`             // what the goal waits for, in the agent's words
	Call  Call      `json:"call"`            // it gets its result when the wait is over
	Step  int       `json:"step"`            // of the call
	Grant string    `json:"grant,omitempty"` // the approval that allowed the call
	Since time.Time `json:"since"`
	Until time.Time `json:"until"` // the wait is over then, whatever was found
	// EveryMS is the time between two looks; 0 means that the goal only waits for Until.
	EveryMS int64  `json:"every_ms,omitempty"`
	Mark    string `json:"mark,omitempty"` // what the first look found, for a condition that something changes
}

// Every returns the time between two looks, 0 if the goal only waits for a time.
func (w Wait) Every() time.Duration { return time.Duration(w.EveryMS) * time.Millisecond }

// Describe describes the wait in a line for the user.
func (w Wait) Describe() string {
	if w.EveryMS == 0 {
		return fmt.Sprintf("Waiting: %s · until %s", w.For, w.Until.Local().Format("Mon 15:04"))
	}
	return fmt.Sprintf("Waiting: %s · looks every %s", w.For, FormatDuration(w.Every()))
}

// Look is what one look at a condition found.
type Look struct {
	IsMet bool
	Text  string // for the agent
	Mark  string // of the state, to compare later ones with
}

// PastWait is a wait of a goal that is over.
type PastWait struct {
	Exit Exit   // why it waited: one for which IsParked is true
	For  string // what the agent said it waits for; "" unless it chose to wait
	Took time.Duration
}

// DescribeWaits says in a sentence for what a goal has waited, "" if that was less than a minute.
func DescribeWaits(list []PastWait) string {
	const maxNamed = 3
	var total, model, day time.Duration
	var models int
	var parts, named []string
	for _, w := range list {
		total += w.Took
		switch w.Exit {
		case WaitingForProvider:
			model, models = model+w.Took, models+1
		case DailyLimitReached:
			day += w.Took
		default:
			named = append(named, fmt.Sprintf("for %s (%s)", w.For, FormatDuration(w.Took)))
		}
	}
	if total < time.Minute {
		return ""
	}
	if models > 0 {
		parts = append(parts, fmt.Sprintf("%s for the model (%s)", FormatCount(models, "time"), FormatDuration(model)))
	}
	if day > 0 {
		parts = append(parts, fmt.Sprintf("for a new daily limit (%s)", FormatDuration(day)))
	}
	if more := len(named) - maxNamed; more > 0 {
		named = append(named[:maxNamed], fmt.Sprintf("and %d more times", more))
	}
	return fmt.Sprintf("Waited %s, at no cost: %s.", FormatDuration(total), strings.Join(append(parts, named...), ", "))
}
