package tools

import (
	"context"
	"fmt"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/policy"
)

const terminalPage = 12 << 10 // bytes

type terminalReadArgs struct {
	Pane string `json:"pane"`
	From int64  `json:"from,omitempty"`
	Page int    `json:"page,omitempty"`
}

func terminalRead(r Deps) (Tool, error) {
	return defineTool("terminal_read", func(_ context.Context, a terminalReadArgs) (policy.Effect, error) {
		switch {
		case a.From < 0 || a.Page < 0:
			return policy.Effect{}, fmt.Errorf("from and page count from 1")
		case a.From > 0 && a.Page > 0:
			return policy.Effect{}, fmt.Errorf("give from or page, not both")
		}
		return viewEffect()
	}, func(ctx context.Context, a terminalReadArgs) goal.Result {
		if a.From <= 0 && a.Page <= 0 {
			return readScreen(ctx, r.Terminals, a.Pane)
		}
		text, err := r.Terminals.Read(ctx, a.Pane, a.From, a.Page, terminalPage)
		if err != nil {
			return failedResult("%s", err)
		}
		note := fmt.Sprintf("bytes %d to %d of %d", text.From, text.Next, text.End)
		if text.Lost > 0 {
			note += fmt.Sprintf("; %d earlier bytes were discarded", text.Lost)
		}
		r := okResult("%s\n%s", note+exitNote(text), wrapOutside("pane "+a.Pane, text.Text))
		r.More, r.IsOngoing = &goal.Continuation{Next: text.Next, Total: text.End, Has: text.Next < text.End}, text.Busy
		return r
	})
}

// readScreen returns the pane's screen, with a cursor for reading later output.
func readScreen(ctx context.Context, t TerminalReading, pane string) goal.Result {
	text, err := t.Screen(ctx, pane)
	if err != nil {
		return failedResult("%s", err)
	}
	note := fmt.Sprintf("the screen, cursor at row %d, column %d", text.Row, text.Col)
	if text.Full {
		note += ", a full-screen program"
	}
	r := okResult("%s\n%s", note+exitNote(text), wrapOutside("pane "+pane, text.Text))
	r.More, r.IsOngoing = &goal.Continuation{Next: text.Next, Total: text.End}, text.Busy
	return r
}

func exitNote(text TerminalText) string {
	if text.Running {
		return ""
	}
	return "; the shell has ended"
}
