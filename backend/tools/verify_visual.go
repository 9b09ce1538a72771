package tools

import (
	"context"
	"fmt"
	"strings"

	"goalpost/backend/goal"
	"goalpost/backend/pane"
	"goalpost/backend/policy"
)

type verifyVisualArgs struct {
	Pane     string `json:"pane" jsonschema:"the browser pane"`
	Expected string `json:"expected" jsonschema:"what the page should show, as a statement or a question whose answer is yes"`
	Full     bool   `json:"full,omitempty" jsonschema:"the whole page instead of the viewport"`
}

func verifyVisual(r Deps) (Tool, error) {
	return defineTool("verify_visual", func(_ context.Context, a verifyVisualArgs) (policy.Effect, error) {
		if strings.TrimSpace(a.Expected) == "" || len(a.Expected) > maxQuestion {
			return policy.Effect{},
				fmt.Errorf("expected has %d bytes; give 1 to %d that say what the page should show", len(a.Expected), maxQuestion)
		}
		return viewEffect()
	}, func(ctx context.Context, a verifyVisualArgs) goal.Result {
		if r.Vision == nil {
			return failedResult("%s", errNoVisionModel)
		}
		s, err := r.takePicture(ctx, a.Pane, pane.ScreenshotOptions{Full: a.Full})
		if err != nil {
			return failedResult("%s", err)
		}
		shown := s
		if shown.PNG, _, err = scalePicture(s.PNG); err != nil {
			return failedResult("%s", err)
		}
		j, err := r.Vision.Decide(ctx, a.Expected, shown)
		if err != nil {
			return failedResult("%s", err)
		}
		text := fmt.Sprintf("%s; the picture is kept with this step\n%s", j.Word,
			wrapOutside("the vision model for pane "+a.Pane, j.Why))
		return goal.Result{OK: j.Word == "PASS", Text: text, Image: s.PNG, Usage: j.Usage}
	})
}
