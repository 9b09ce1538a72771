package tools

import (
	"context"
	"errors"

	"goalpost/backend/goal"
	"goalpost/backend/policy"
)

type terminalTypeArgs struct {
	Pane    string `json:"pane" jsonschema:"the terminal pane"`
	Text    string `json:"text" jsonschema:"what to type, as a paste does; several lines are fine"`
	NoEnter bool   `json:"no_enter,omitempty" jsonschema:"do not press Enter afterwards"`
}

func terminalType(r Room) (Tool, error) {
	return define("terminal_type", func(_ context.Context, a terminalTypeArgs) (policy.Effect, error) {
		if a.Text == "" {
			return policy.Effect{}, errors.New("the text is empty; terminal_keys presses single keys such as Enter")
		}
		return r.typing(a.Pane, a.whole())
	}, func(ctx context.Context, a terminalTypeArgs) goal.Result {
		r.Lines.typed(a.Pane, a.whole())
		if err := r.Terminals.Type(ctx, a.Pane, a.Text, !a.NoEnter); err != nil {
			return failed("%s", err)
		}
		if !a.NoEnter {
			return ok("typed %d characters and Enter into pane %s; terminal_wait or terminal_read shows what came of it", len([]rune(a.Text)), a.Pane)
		}
		return ok("typed %d characters into pane %s, without Enter", len([]rune(a.Text)), a.Pane)
	})
}

// whole is the text with the Enter after it.
func (a terminalTypeArgs) whole() string {
	if a.NoEnter {
		return a.Text
	}
	return a.Text + "\n"
}
