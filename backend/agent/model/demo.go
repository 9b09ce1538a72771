package model

import (
	"context"
	"fmt"
	"strings"
	"time"

	"goalpost/backend/domain/goal"
)

// Demo is a scripted model: no AI and no network. It plays a small goal with real tools: it writes a page with a
// wrong total, claims, is refused, repairs the page, looks at it and claims again. It has no state between turns; the
// next move follows from the conversation alone, so a resumed goal continues where it was. It is safe for concurrent
// use.
type Demo struct {
	// Pace is the pause after each word of the streamed text; 0 means none. With 70 ms, a user can follow and the text
	// of the whole script takes less than 15 s.
	Pace time.Duration
	// Server is a command that serves the goal's folder, prints its address and keeps running; it replaces the one in
	// the objective.
	Server string
}

// DemoObjective returns the objective that Demo can reach. serverCommand serves the goal's folder, prints its address
// (http://127.0.0.1:PORT) and keeps running; it may be empty.
func DemoObjective(serverCommand string) string {
	s := "Make a price list as a web page in index.html: three prices, and a total that is their sum, 42. Serve it " +
		"and look at it in the browser."
	if serverCommand != "" {
		s += "\nserver command: " + serverCommand
	}
	return s
}

// DemoCheck returns the command of the goal's shell check: it prints the total in the page and fails unless that is 42.
func DemoCheck() string {
	return `grep -o 'total">[0-9]*' index.html && grep -q 'total">42<' index.html`
}

// Turn plays the next move of the script.
func (d Demo) Turn(ctx context.Context, t goal.Turn, delta func(text string)) (goal.Reply, error) {
	s := readScript(t)
	if s.command == "" {
		s.command = d.Server
	}
	m := s.nextMove()
	if s.note {
		m.text = "(A note arrived. I am a script and cannot follow it.) " + m.text
	}
	if err := d.streamText(ctx, m.text, delta); err != nil {
		return goal.Reply{}, err
	}
	args, err := encodeJSON(m.args) // without escapes, because users read the page's source in the step log
	if err != nil {
		return goal.Reply{}, fmt.Errorf("encoding the arguments of %s: %w", m.tool, err)
	}
	r := goal.Reply{Text: m.text, Calls: []goal.Call{{Tool: m.tool, Arguments: string(args)}}}
	assignID(&r, len(t.Messages))
	return r, nil
}

// streamText sends the text to delta word by word.
func (d Demo) streamText(ctx context.Context, text string, delta func(string)) error {
	for _, word := range strings.SplitAfter(text, " ") {
		if delta != nil {
			delta(word)
		}
		if d.Pace > 0 {
			select {
			case <-time.After(d.Pace):
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil {
			return fmt.Errorf("model turn: %w", ctx.Err())
		}
	}
	return nil
}

// demoMove is the script's move in one turn.
type demoMove struct {
	text string
	tool string
	args map[string]any
}
