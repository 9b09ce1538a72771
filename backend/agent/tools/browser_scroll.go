package tools

import (
	"context"
	"errors"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

const maxScroll = 1000000 // CSS pixels

type browserScrollArgs struct {
	Pane   string `json:"pane"`
	Down   int    `json:"down,omitempty"`
	Right  int    `json:"right,omitempty"`
	Target string `json:"target,omitempty"`
}

func browserScroll(r Deps) (Tool, error) {
	return defineTool("browser_scroll", func(_ context.Context, a browserScrollArgs) (policy.Effect, error) {
		if a.Down == 0 && a.Right == 0 && a.Target == "" {
			return policy.Effect{}, errors.New("give a distance (down, right), or an element to bring into view (target)")
		}
		return r.passiveFetchEffect(a.Pane)
	}, func(ctx context.Context, a browserScrollArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			if a.Down == 0 && a.Right == 0 {
				return p.Mouse.ScrollTo(ctx, a.Target)
			}
			return p.Mouse.Scroll(ctx, a.Target, clampScroll(a.Right), clampScroll(a.Down))
		})
	})
}

// clampScroll limits a distance to -maxScroll … maxScroll.
func clampScroll(n int) float64 { return float64(max(-maxScroll, min(n, maxScroll))) }
