package goal

import (
	"fmt"
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
	// ByClock says that the wait is for a time of day, which comes when the clock shows it. Otherwise the wait has a
	// length, however the clock is set in the meantime.
	ByClock bool `json:"by_clock,omitempty"`
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
