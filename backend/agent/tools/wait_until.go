package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

const (
	defaultLookInterval  = time.Minute
	minLookInterval      = 10 * time.Second
	maxLookInterval      = time.Hour
	defaultConditionWait = 4 * time.Hour
	maxConditionWait     = 7 * 24 * time.Hour
	maxWaitWords         = 80 // of what a goal waits for, in characters
)

type waitUntilArgs struct {
	For          string `json:"for"`
	Command      string `json:"command,omitempty"`
	Exit         int    `json:"exit,omitempty"`
	URL          string `json:"url,omitempty"`
	Status       int    `json:"status,omitempty"`
	Text         string `json:"text,omitempty"`
	File         string `json:"file,omitempty"`
	Changed      bool   `json:"changed,omitempty"`
	Port         int    `json:"port,omitempty"`
	Pane         string `json:"pane,omitempty"`
	Time         string `json:"time,omitempty"`
	EverySeconds int    `json:"every_seconds,omitempty"`
	LimitSeconds int    `json:"limit_seconds,omitempty"`
}

// waitUntilTool also looks at its conditions after the run of a call has stopped.
type waitUntilTool struct {
	*tool[waitUntilArgs]

	deps       Deps
	conditions []waitCondition
}

// waitCondition is one kind of condition.
type waitCondition struct {
	argument string
	isGiven  func(waitUntilArgs) bool
	effect   func(waitUntilArgs) (policy.Effect, error)
	// look looks once. mark is what the first look found, "" in the first look. It is nil for a time.
	look func(ctx context.Context, a waitUntilArgs, mark string) (goal.Look, error)
}

func waitUntil(r Deps) (Tool, error) {
	w := &waitUntilTool{deps: r, conditions: waitConditions(r)}
	t, err := defineTool("wait_until", w.effectOf, w.begin)
	if of, ok := t.(*tool[waitUntilArgs]); ok && err == nil {
		w.tool = of
	}
	return w, err
}

// condition returns the one condition that is given.
func (w *waitUntilTool) condition(a waitUntilArgs) (waitCondition, error) {
	var given []waitCondition
	var names []string
	for _, c := range w.conditions {
		names = append(names, c.argument)
		if c.isGiven(a) {
			given = append(given, c)
		}
	}
	if len(given) != 1 {
		return waitCondition{}, fmt.Errorf("give one condition: %s. For example "+
			`{"for":"CI of pull request 12","command":"gh pr checks 12; test $? -ne 8"}`, strings.Join(names, ", "))
	}
	return given[0], nil
}

func (w *waitUntilTool) effectOf(_ context.Context, a waitUntilArgs) (policy.Effect, error) {
	c, err := w.condition(a)
	switch {
	case err != nil:
		return policy.Effect{}, err
	case isBlank(a.For):
		return policy.Effect{}, errors.New(`say in a few words what you wait for, as in "for":"CI of pull request 12"`)
	case a.Text != "" && c.argument != "command" && c.argument != "url":
		return policy.Effect{}, errors.New("text belongs to command or url")
	}
	return c.effect(a)
}

// begin looks for the first time. If the condition is not met, the run stops until it is.
func (w *waitUntilTool) begin(ctx context.Context, a waitUntilArgs) goal.Result {
	run, inRun := goal.RunOf(ctx)
	c, err := w.condition(a)
	switch {
	case !inRun:
		return failedResult("only a goal can wait: wait_until was called outside of one")
	case err != nil:
		return failedResult("%s", err)
	}
	wait := goal.Wait{For: text.Truncate(strings.Join(strings.Fields(a.For), " "), maxWaitWords)}
	limit := waitDuration(a.LimitSeconds, defaultConditionWait, maxConditionWait)
	if c.look == nil {
		if limit, wait.ByClock, err = timeUntil(time.Now(), a.Time); err != nil {
			return failedResult("%s", err)
		}
		return okUnless(run.Control.WaitUntil(wait, limit), "waiting")
	}
	mark := w.deps.markLogs()
	found, err := c.look(ctx, a, "")
	switch {
	case err != nil:
		return failedResult("%s", err)
	case ctx.Err() != nil:
		return failedResult("the run was stopped")
	case found.IsMet:
		return okResult("the condition is met already: %s", found.Text)
	}
	if refused := w.deps.refusedSince(mark); refused != "" { // it would be refused each time
		return failedResult("not waiting: %s%s", found.Text, refused)
	}
	wait.Mark = found.Mark
	every := waitDuration(a.EverySeconds, defaultLookInterval, maxLookInterval)
	wait.EveryMS = max(every, minLookInterval).Milliseconds()
	return okUnless(run.Control.WaitUntil(wait, limit), "not met yet: %s", found.Text)
}

// Look looks at the condition of a call that waits.
func (w *waitUntilTool) Look(ctx context.Context, raw json.RawMessage, mark string) (goal.Look, error) {
	a, err := w.parse(raw)
	if err != nil {
		return goal.Look{}, err
	}
	c, err := w.condition(a)
	if err != nil || c.look == nil {
		return goal.Look{}, err
	}
	return c.look(ctx, a, mark)
}

// timeUntil returns how long it is until a time that a model wrote: a time of day or a date with a time, which come by
// the clock, or a duration.
func timeUntil(now time.Time, words string) (d time.Duration, byClock bool, err error) {
	words = strings.TrimSpace(words)
	if d, err := time.ParseDuration(strings.ReplaceAll(strings.TrimPrefix(words, "in "), " ", "")); err == nil {
		return d, false, checkTimeUntil(d, words)
	}
	if at, err := time.ParseInLocation("15:04", strings.TrimPrefix(words, "at "), now.Location()); err == nil {
		day := time.Date(now.Year(), now.Month(), now.Day(), at.Hour(), at.Minute(), 0, 0, now.Location())
		if !day.After(now) {
			day = day.AddDate(0, 0, 1)
		}
		return day.Sub(now), true, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02 15:04", "2006-01-02T15:04"} {
		if at, err := time.ParseInLocation(layout, words, now.Location()); err == nil {
			return at.Sub(now), true, checkTimeUntil(at.Sub(now), words)
		}
	}
	return 0, false, fmt.Errorf("%q is not a time; write 07:00, 2026-05-01 07:00 or a duration such as 2h30m",
		text.TruncateBytes(words, 100))
}

func checkTimeUntil(d time.Duration, words string) error {
	switch {
	case d <= 0:
		return fmt.Errorf("%s is over", words)
	case d > maxConditionWait:
		return fmt.Errorf("%s is too far away; a goal waits at most %s", words, goal.FormatDuration(maxConditionWait))
	}
	return nil
}

// waitConditions returns the kinds of conditions.
func waitConditions(d Deps) []waitCondition {
	local := func(waitUntilArgs) (policy.Effect, error) { return policy.Effect{Risk: policy.ReadOnly}, nil }
	return []waitCondition{
		{"command", func(a waitUntilArgs) bool { return !isBlank(a.Command) }, d.waitCommandEffect, d.lookAtCommand},
		{"url", func(a waitUntilArgs) bool { return a.URL != "" }, func(a waitUntilArgs) (policy.Effect, error) {
			return addressEffect(a.URL, policy.ReadOnly, policy.NetworkGet)
		}, d.lookAtURL},
		{"file", func(a waitUntilArgs) bool { return a.File != "" }, d.waitFileEffect, d.lookAtFile},
		{"port", func(a waitUntilArgs) bool { return a.Port != 0 }, waitPortEffect, d.lookAtPort},
		{"pane", func(a waitUntilArgs) bool { return a.Pane != "" }, local, d.lookAtPane},
		{"time", func(a waitUntilArgs) bool { return a.Time != "" }, func(a waitUntilArgs) (policy.Effect, error) {
			_, _, err := timeUntil(time.Now(), a.Time)
			return policy.Effect{Control: true}, err
		}, nil},
	}
}
