package tools

import (
	"context"
	"strings"

	"goalpost/backend/domain/goal"
	"goalpost/backend/domain/pane"
	"goalpost/backend/domain/policy"
)

type browserPressArgs struct {
	Pane   string `json:"pane"`
	Keys   string `json:"keys"`
	Target string `json:"target,omitempty"`
}

func browserPress(r Deps) (Tool, error) {
	t, err := defineTool("browser_press", func(ctx context.Context, a browserPressArgs) (policy.Effect, error) {
		if canMoveFocus(a.Keys) {
			return r.scriptEffect(ctx, a.Pane)
		}
		return r.actionEffect(ctx, a.Pane, a.Target, canSubmit(a.Keys))
	}, func(ctx context.Context, a browserPressArgs) goal.Result {
		return r.doAction(ctx, a.Pane, func(p Browser) (pane.ActionResult, error) {
			return p.Forms.Press(ctx, a.Target, a.Keys)
		})
	})
	return withPreview(t, err, func(ctx context.Context, a browserPressArgs) string {
		if canMoveFocus(a.Keys) {
			return ""
		}
		return r.describeSubmission(ctx, a.Pane, a.Target, canSubmit(a.Keys))
	})
}

// canMoveFocus reports whether a key that triggers an action may reach another element than the focused one, because
// the keys before it move the focus.
func canMoveFocus(keys string) bool {
	for i, key := range strings.Fields(keys) {
		if i > 0 && (strings.Contains(key, "Enter") || strings.Contains(key, "Space")) {
			return true
		}
	}
	return false
}

// canSubmit reports whether one of the keys may submit a form.
func canSubmit(keys string) bool {
	return strings.Contains(keys, "Enter") || strings.Contains(keys, "Return")
}
