package goal

import (
	"fmt"
	"strings"
	"time"
)

// Interruptions are what a goal went through without its user.
type Interruptions struct {
	Waits     []PastWait // oldest first
	Slept     int        // how often the computer slept while the goal waited
	Fallbacks []PastFallback
	Retries   []Retries
	Servers   []string // what went wrong with the user's MCP servers, in sentences
}

// PastWait is a wait of a goal that is over.
type PastWait struct {
	Exit Exit   // why it waited: one for which IsParked is true
	For  string // what the agent said it waits for; "" unless it chose to wait
	Took time.Duration
}

// PastFallback is a series of turns that a fallback model took.
type PastFallback struct {
	Fallback

	Turns int
	Until time.Time // when the goal's own model answered again; zero if it did not
}

// Retries counts requests to a model that failed in one way and were repeated.
type Retries struct {
	Why   string // in a word or two
	Times int
}

// maxNamedParts limits what one sentence of Describe lists.
const maxNamedParts = 3

// Describe says in at most two lines what happened, and in none if nothing did.
func (i Interruptions) Describe() (lines []string) {
	waits := i.describeWaits()
	if i.Slept > 0 {
		waits = append(waits, fmt.Sprintf("The computer slept %s.", formatTimes(i.Slept)))
	}
	var others []string
	for _, f := range firstParts(i.Fallbacks) {
		others = append(others, f.describe())
	}
	if more := len(i.Fallbacks) - maxNamedParts; more > 0 {
		others = append(others, fmt.Sprintf("Fallback models took turns %s more.", formatTimes(more)))
	}
	others = append(others, describeRetries(i.Retries)...)
	others = append(others, firstParts(i.Servers)...)
	for _, sentences := range [][]string{waits, others} {
		if len(sentences) > 0 {
			lines = append(lines, strings.Join(sentences, " "))
		}
	}
	return lines
}

// describeWaits says for what the goal has waited, unless that was less than a minute.
func (i Interruptions) describeWaits() []string {
	var total, model, day time.Duration
	var models int
	var parts, named []string
	for _, w := range i.Waits {
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
		return nil
	}
	if models > 0 {
		parts = append(parts, fmt.Sprintf("%s for the model (%s)", formatTimes(models), FormatDuration(model)))
	}
	if day > 0 {
		parts = append(parts, fmt.Sprintf("for a new daily limit (%s)", FormatDuration(day)))
	}
	if more := len(named) - maxNamedParts; more > 0 {
		named = append(firstParts(named), fmt.Sprintf("and %d more times", more))
	}
	parts = append(parts, named...)
	return []string{fmt.Sprintf("Waited %s, at no cost: %s.", FormatDuration(total), strings.Join(parts, ", "))}
}

func (f PastFallback) describe() string {
	until := ""
	if !f.Until.IsZero() {
		until = " until " + f.Until.Local().Format("15:04")
	}
	return fmt.Sprintf("%s by %s, because %s%s.", FormatCount(f.Turns, "turn"), f.Model, f.Why, until)
}

// describeRetries says in a sentence how often a model was asked again.
func describeRetries(list []Retries) []string {
	total, parts := 0, []string{}
	for _, r := range list {
		total += r.Times
		parts = append(parts, fmt.Sprintf("%d %s", r.Times, r.Why))
	}
	if total == 0 {
		return nil
	}
	are := "were"
	if total == 1 {
		are = "was"
	}
	return []string{fmt.Sprintf("%s to a model failed and %s repeated (%s).", FormatCount(total, "request"), are,
		strings.Join(parts, ", "))}
}

// formatTimes formats how often something happened.
func formatTimes(n int) string {
	if n == 1 {
		return "once"
	}
	return FormatCount(n, "time")
}

func firstParts[T any](list []T) []T {
	return list[:min(len(list), maxNamedParts):min(len(list), maxNamedParts)]
}
