package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

type terminalTypeArgs struct {
	Pane    string `json:"pane"`
	Text    string `json:"text"`
	NoEnter bool   `json:"no_enter,omitempty"`
}

func terminalType(r Deps) (Tool, error) {
	return defineTool("terminal_type", func(_ context.Context, a terminalTypeArgs) (policy.Effect, error) {
		if a.Text == "" {
			return policy.Effect{}, errors.New("the text is empty; terminal_keys presses single keys such as Enter")
		}
		return r.typingEffect(a.Pane, a.text())
	}, func(ctx context.Context, a terminalTypeArgs) goal.Result {
		r.PendingInput.Record(a.Pane, a.text())
		if err := r.Terminals.Type(ctx, a.Pane, a.Text, !a.NoEnter); err != nil {
			return failedResult("%s", err)
		}
		if !a.NoEnter {
			return okResult("typed %d characters and Enter into pane %s; terminal_wait or terminal_read shows the result",
				len([]rune(a.Text)), a.Pane)
		}
		return okResult("typed %d characters into pane %s, without Enter", len([]rune(a.Text)), a.Pane)
	})
}

// text returns the typed text, followed by Enter unless NoEnter is set.
func (t terminalTypeArgs) text() string {
	if t.NoEnter {
		return t.Text
	}
	return t.Text + "\n"
}
