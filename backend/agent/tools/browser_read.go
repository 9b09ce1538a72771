package tools

import (
	"context"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
)

type browserReadArgs struct {
	Pane   string `json:"pane"`
	Target string `json:"target,omitempty"`
	Tables bool   `json:"tables,omitempty"`
	Whole  bool   `json:"whole,omitempty"`
	From   int    `json:"from,omitempty"`
}

func browserRead(r Deps) (Tool, error) {
	return defineTool("browser_read", readEffect, func(ctx context.Context, a browserReadArgs) goal.Result {
		return r.usePage(a.Pane, func(p Browser) (goal.Result, error) {
			if pdf, isPDF, err := r.readPDF(ctx, a.Pane, p, a.From); isPDF || err != nil {
				return pdf, err
			}
			t, err := p.Reader.Read(ctx, pane.ReadOptions{Target: a.Target, Tables: a.Tables, Whole: a.Whole, From: a.From})
			return pageResult(a.Pane, t.Text, t.Next, t.Total), err
		})
	})
}
