package tools

import (
	"context"
	"errors"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

const maxScroll = 1000000 // CSS pixels

type browserScrollArgs struct {
	Pane   string `json:"pane" jsonschema:"the browser pane"`
	Down   int    `json:"down,omitempty" jsonschema:"how far down, in CSS pixels; less than 0 is up. 1000000 is the end"`
	Right  int    `json:"right,omitempty" jsonschema:"how far to the right; less than 0 is to the left"`
	Target string `json:"target,omitempty" jsonschema:"where to turn the wheel, for a part of the page that scrolls separately: a ref, css=SELECTOR, or visible text. Without down and right, it is brought into view"`
}

func browserScroll(r Deps) (Tool, error) {
	return defineTool("browser_scroll", func(_ context.Context, a browserScrollArgs) (policy.Effect, error) {
		if a.Down == 0 && a.Right == 0 && a.Target == "" {
			return policy.Effect{}, errors.New("give a distance (down, right), or an element to bring into view (target)")
		}
		return r.passiveFetchEffect(a.Pane)
	}, func(ctx context.Context, a browserScrollArgs) goal.Result {
		return r.doAction(a.Pane, func(p Browser) (pane.ActionResult, error) {
			if a.Down == 0 && a.Right == 0 {
				return p.Mouse.ScrollTo(ctx, a.Target)
			}
			return p.Mouse.Scroll(ctx, a.Target, clampScroll(a.Right), clampScroll(a.Down))
		})
	})
}

// clampScroll limits a distance to -maxScroll … maxScroll.
func clampScroll(n int) float64 { return float64(max(-maxScroll, min(n, maxScroll))) }
