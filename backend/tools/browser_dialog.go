package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type browserDialogArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Accept bool   `json:"accept" jsonschema:"true is OK, false is Cancel"`
	Text   string `json:"text,omitempty" jsonschema:"what to answer to a prompt"`
}

func browserDialog(b Browsers) (Tool, error) {
	return define("browser_dialog", func(_ context.Context, a browserDialogArgs) (policy.Effect, error) {
		if !a.Accept { // as any other call would do
			return passing(b, a.Pane)
		}
		return scripting(b, a.Pane)
	}, func(ctx context.Context, a browserDialogArgs) goal.Result {
		return act(b, a.Pane, func(p Browser) (pane.Acted, error) { return p.Dialog(ctx, a.Accept, a.Text) })
	})
}
