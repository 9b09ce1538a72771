package tools

import (
	"context"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
)

type browserReadArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Target string `json:"target,omitempty" jsonschema:"read only this: a ref, css=SELECTOR, or visible text. The main content if left out"`
	Tables bool   `json:"tables,omitempty" jsonschema:"only the tables"`
	Whole  bool   `json:"whole,omitempty" jsonschema:"include menus, sidebars and footers"`
	From   int    `json:"from,omitempty" jsonschema:"continue from here: next_cursor of the last answer"`
}

func browserRead(r Deps) (Tool, error) {
	return defineTool("browser_read", readEffect, func(ctx context.Context, a browserReadArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			t, err := p.Reader.Read(ctx, pane.ReadOptions{Target: a.Target, Tables: a.Tables, Whole: a.Whole, From: a.From})
			return pageResult(a.Pane, t.Text, t.Next, t.Total), err
		})
	})
}
