package tools

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
	"goalpost/backend/lib/text"
)

const (
	defaultWait = time.Minute
	maxWaitTime = 30 * time.Minute
	maxPattern  = 1000
)

type terminalWaitArgs struct {
	Pane           string `json:"pane"`
	For            string `json:"for,omitempty"`
	Pattern        string `json:"pattern,omitempty"`
	Since          int64  `json:"since,omitempty"`
	QuietSeconds   int    `json:"quiet_seconds,omitempty"`
	TimeoutSeconds int    `json:"timeout_seconds,omitempty"`
}

func terminalWait(r Deps) (Tool, error) {
	return defineTool("terminal_wait", func(_ context.Context, a terminalWaitArgs) (policy.Effect, error) {
		_, err := a.until()
		return policy.Effect{Risk: policy.ReadOnly}, err
	}, func(ctx context.Context, a terminalWaitArgs) goal.Result {
		until, err := a.until()
		if err != nil {
			return failedResult("%s", err)
		}
		limit := waitDuration(a.TimeoutSeconds, defaultWait, maxWaitTime)
		w, err := r.Terminals.Wait(ctx, a.Pane, until, limit)
		if err != nil {
			return failedResult("%s", err)
		}
		met, words := w.describe(a, limit)
		r := goal.Result{OK: met, IsOngoing: w.Busy, Text: words + "\n" + wrapOutside("pane "+a.Pane, w.Text)}
		r.More = &goal.Continuation{Next: w.Next, Total: w.Next}
		return r
	})
}

func (t terminalWaitArgs) until() (TerminalWaitCondition, error) {
	u := TerminalWaitCondition{Since: -1}
	if t.Since > 0 {
		u.Since = t.Since
	}
	switch { // only one thing can be meant
	case t.For != "":
	case t.Pattern != "":
		t.For = "pattern"
	case t.QuietSeconds > 0:
		t.For = "quiet"
	}
	if t.For != "pattern" && t.Pattern != "" {
		return u, fmt.Errorf("to wait for a pattern, set \"for\" to \"pattern\", not %q", t.For)
	}
	switch t.For {
	case "pattern":
		if t.Pattern == "" || len(t.Pattern) > maxPattern {
			return u, fmt.Errorf(
				"the pattern has %d characters; give a regular expression of 1 to %d, such as listening on|error", len(t.Pattern),
				maxPattern)
		}
		re, err := regexp.Compile(t.Pattern)
		if err != nil {
			return u, fmt.Errorf("the pattern cannot be parsed (RE2): %w", err)
		}
		if re.MatchString("") {
			return u, errors.New("the pattern matches empty text, so the wait would end at once; give text that must appear")
		}
		u.Pattern = re
	case "prompt":
		u.Prompt = true
	case "exit":
		u.Exit = true
	case "quiet":
		u.Quiet = waitDuration(t.QuietSeconds, 5*time.Second, maxWaitTime)
	default:
		return u, fmt.Errorf("for is %q; use pattern, prompt, exit or quiet", t.For)
	}
	return u, nil
}

// describe returns whether the condition was met, and how the wait ended.
func (t TerminalWaitResult) describe(a terminalWaitArgs, limit time.Duration) (met bool, description string) {
	switch t.Why {
	case "pattern":
		return true, fmt.Sprintf("it appeared: %q", text.TruncateBytes(t.Match, 200))
	case "prompt":
		return true, fmt.Sprintf("the shell is at its prompt; the last command ended with exit %d", t.Exit)
	case "exit":
		return true, fmt.Sprintf("the command is done, exit %d", t.Exit)
	case "quiet":
		return true,
			fmt.Sprintf("nothing was printed for %s",
				goal.FormatDuration(waitDuration(a.QuietSeconds, 5*time.Second, maxWaitTime)))
	case "ended":
		return false, fmt.Sprintf("the pane's program has ended, exit %d", t.Exit)
	}
	return false, fmt.Sprintf("not within %s; it continues. The end of what it printed:", goal.FormatDuration(limit))
}
